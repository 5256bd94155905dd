"""A bot in Python's standard library, and its test against the sandbox: it buys, is filled, meets a lost answer, and closes."""

import hashlib, hmac, json, os, time, urllib.error, urllib.parse, urllib.request, uuid

BASE = os.environ["VENUE_BASE_URL"]
KEY, SECRET = os.environ["VENUE_API_KEY"], os.environ["VENUE_API_SECRET"]
TOKEN = os.environ.get("VENUE_CONTROL_TOKEN", "")
skew = 0.0  # what the clock of the service is ahead of ours, in milliseconds


def send(method, path, body, headers):
    data = body.encode() if method == "POST" else None
    url = BASE + path + ("?" + body if method == "GET" and body else "")
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        return json.load(refused)


def call(method, path, **parameters):
    """Signs with the header method: key, timestamp and window in front of what is sent."""
    global skew
    body = urllib.parse.urlencode(parameters) if method == "GET" else json.dumps(parameters)
    at = str(int(time.time() * 1000 + skew))
    sign = hmac.new(SECRET.encode(), (at + KEY + "5000" + body).encode(), hashlib.sha256).hexdigest()
    names = ["X-BAPI-API-KEY", "X-BAPI-TIMESTAMP", "X-BAPI-RECV-WINDOW", "X-BAPI-SIGN"]
    headers = {**dict(zip(names, [KEY, at, "5000", sign])), "Content-Type": "application/json"}
    answer = send(method, "/cloud/trade/v3/" + path, body, headers)
    if answer["retCode"] == 10002:  # refused for its timestamp, so not executed: learn the clock, and sign anew
        skew = answer["time"] - time.time() * 1000
        return call(method, path, **parameters)
    if answer["retCode"] != 0:
        raise RuntimeError(answer["retMsg"])
    return answer["result"]


def control(command, **argument):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + TOKEN}
    return send("POST", "/sandbox/control/" + command, json.dumps(argument), headers)


def buy(market, qty, price):
    """Places an order under an id of ours: if the answer is lost, the id says whether it was executed."""
    link = uuid.uuid4().hex
    order = {"side": "Buy", "orderType": "Limit", "qty": qty, "price": price, "orderLinkId": link}
    try:
        call("POST", "order/create", **market, **order)
    except (ConnectionError, urllib.error.URLError, TimeoutError):
        found = call("GET", "order/realtime", **market, orderLinkId=link)["list"]
        print("the answer was lost, and the order is", "there" if found else "not there")
    return link


if __name__ == "__main__":
    market = {"category": "linear", "symbol": "XRPUSDT"}
    control("setPrice", **market, price="0.6")
    link = buy(market, "500", "0.5")
    control("setPrice", **market, price="0.5")  # the market comes to the order
    print("the order is", call("GET", "order/realtime", **market, orderLinkId=link)["list"][0]["OrderStatus"])
    control("setFaults", rules=[{"fault": {"kind": "dropAfter"}, "operations": ["orders.create"], "count": 1}])
    buy(market, "500", "0.4")
    control("setClock", by="8 hours")
    print("funded:", call("GET", "execution/list", **market, execType="Funding")["list"] != [])
    call("POST", "order/cancel-all", **market)
