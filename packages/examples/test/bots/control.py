"""Drives a sandbox from another machine: its clock, its prices, its faults and a liquidation, with the control token."""

import json, os, urllib.error, urllib.request

BASE = os.environ["VENUE_BASE_URL"]
TOKEN = os.environ["VENUE_CONTROL_TOKEN"]
HOUR = 3_600_000


def control(path, argument=None, token=TOKEN):
    """Reads with GET, commands with POST. Returns the HTTP status and the JSON."""
    data = None if argument is None else json.dumps(argument).encode()
    headers = {"Authorization": "Bearer " + token} if token else {}
    request = urllib.request.Request(BASE + "/sandbox/control/" + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def done(path, argument=None):
    status, result = control(path, argument)
    assert status == 200, (path, status, result)
    return result


def position(uid):
    return done("state?account=" + uid)["accounts"][0]["positions"]


# Without the token nothing is done and nothing is read.
for path, argument in [("setClock", {"by": "8 hours"}), ("accounts", None), ("snapshot", None)]:
    for token in ["", TOKEN + "x"]:
        status, refused = control(path, argument, token)
        assert (status, refused["error"]) == (401, "Unauthorized"), (path, status, refused)
print("refused without the token")

before = done("clock")["now"]
done("setClock", {"stopped": True})
after = done("setClock", {"by": "8 hours"})
assert after["now"] - before >= 8 * HOUR and after["stopped"], after
assert done("clock") == after
print("the clock stands eight hours later")

market = {"category": "linear", "symbol": "XRPUSDT"}
done("setPrice", {**market, "price": "0.5"})
[found] = [one for one in done("state?symbol=XRPUSDT")["markets"] if one["category"] == "linear"]
assert (found["markPrice"], found["isHeld"]) == ("0.5", True), found
print("the price is held")

done("setFaults", {"rules": [{"fault": {"kind": "status", "status": 503, "executed": False}, "count": 1}]})
statuses = []
for _ in range(2):
    try:
        with urllib.request.urlopen(BASE + "/cloud/trade/v3/market/instruments-info?category=spot", timeout=60) as response:
            statuses.append(response.status)
    except urllib.error.HTTPError as failed:
        statuses.append(failed.code)
logged = done("requests?operation=instruments.list&last=2")["requests"]
assert statuses == [one["status"] for one in logged] == [503, 200], (statuses, logged)
assert [one["executed"] for one in logged] == [False, True], logged
print("a request failed, and the log has it")

uid = done("openScenario", {"name": "about-to-be-liquidated"})["uid"]
[held] = position(uid)
price = float(held["liqPrice"])
assert 0.98 < price / float(held["markPrice"]) < 1, held
done("setPrice", {"category": held["category"], "symbol": held["symbol"], "price": "%.1f" % (price - 1)})
assert position(uid) == []
types = [one["execType"] for one in done("state?account=" + uid)["accounts"][0]["executions"]]
assert types[0] == "BustTrade" and set(types[1:]) == {"Trade"}, types
print("the position is liquidated")
