import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"

/**
 * The rate limits as scripts. Each runs atomically over all keys of a call and behaves like the in-memory store of
 * `@effect-venue/transport`, with instants in microseconds of the Redis clock.
 *
 * A limit has three keys: a hash with its sums, the calls in flight by the end of their lease, and the answered calls by the last instant
 * at which the service can have counted them. A member is `id:index:cost`. `used` is the sum over the calls in flight and the calls
 * answered after the instant `over`. Earlier calls stay for `longestRoundTrip`, because a response can report an older count.
 *
 * A further key contains state shared by all limits: `life`, a random name that is lost with the rest of the state; `born`, the instant
 * from which every window starts full; and `last` and `ahead`, which keep the clock from going back.
 */

/**
 * KEYS[1]: the shared key. ARGV[1]: the process, which together with the time names a new life. ARGV[2]: whether a new life starts with
 * full windows.
 */
const prelude = `
local micros = function(number) return string.format("%.0f", number) end
local shared = redis.call("HMGET", KEYS[1], "life", "born", "last", "ahead")
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local life, born = shared[1], tonumber(shared[2])
if life then
  now = now + tonumber(shared[4])
  local last = tonumber(shared[3])
  if now < last then
    redis.call("HSET", KEYS[1], "ahead", micros(tonumber(shared[4]) + last - now))
    now = last
  end
  -- Half the margin between windows is as good as every microsecond.
  if now - last > 500 then redis.call("HSET", KEYS[1], "last", micros(now)) end
else
  life = ARGV[1] .. "." .. micros(now)
  born = ARGV[2] == "1" and now or 0
  redis.call("HSET", KEYS[1], "life", life, "born", micros(born), "last", micros(now), "ahead", "0")
end

-- How long before its response a call may have been sent for what it says to be compared with what is known here.
local longestRoundTrip = 10000000

local costOf = function(member) return tonumber(string.match(member, "[^:]+$")) end

local sumOf = function(members)
  local sum = 0
  for _, member in ipairs(members) do sum = sum + costOf(member) end
  return sum
end

local limits = {}

-- The cost of what was answered after an instant and up to another.
local answered = function(limit, after, upTo)
  return sumOf(redis.call("ZRANGEBYSCORE", limit.done, "(" .. micros(after), upTo and micros(upTo) or "+inf"))
end

-- The limit of the charge at an index. What is over still counts.
local limitAt = function(index, span)
  local hash = KEYS[3 * index - 1]
  if limits[hash] then return limits[hash] end
  local found = redis.call("HMGET", hash, "used", "over", "closed", "observed", "learnt", "believed", "kept", "queue")
  local limit = {
    hash = hash, out = KEYS[3 * index], done = KEYS[3 * index + 1], span = span,
    used = tonumber(found[1]), over = tonumber(found[2]), closed = tonumber(found[3]), observed = tonumber(found[4]) or -1,
    learnt = tonumber(found[5]), believed = tonumber(found[6]), kept = tonumber(found[7]) or 0,
    queue = found[8] or ""
  }
  if not limit.used then
    limit.over = now - span
    limit.used = sumOf(redis.call("ZRANGE", limit.out, 0, -1)) + answered(limit, limit.over)
    limit.closed = born > 0 and born + span or 0
    redis.call("HSET", hash, "used", limit.used, "over", micros(limit.over), "closed", micros(limit.closed))
  end
  limit.before = { used = limit.used, over = limit.over }
  limits[hash] = limit
  return limit
end

-- Writes the sum, once at the end of a script.
local save = function()
  for _, limit in pairs(limits) do
    if limit.used ~= limit.before.used or limit.over ~= limit.before.over then
      redis.call("HSET", limit.hash, "used", limit.used, "over", micros(limit.over))
    end
  end
end

-- The keys of a limit that is not used any more go by themselves, those of calls a day before the sums over them.
-- Gives whether it was not out before.
local addOut = function(limit, leaseEnd, member)
  local isNew = redis.call("ZADD", limit.out, micros(leaseEnd), member) == 1
  redis.call("PEXPIRE", limit.out, micros((leaseEnd - now + limit.span) / 1000 + 600000))
  return isNew
end

-- Its cost is part of the sum before, and no longer where its window is over already.
local addDone = function(limit, countedBy, member)
  redis.call("ZADD", limit.done, micros(countedBy), member)
  redis.call("PEXPIRE", limit.done, micros((math.max(countedBy - now, 0) + limit.span) / 1000 + 600000))
  if countedBy <= limit.over then limit.used = limit.used - costOf(member) end
end

local keep = function(limit, lease)
  if now < limit.kept then return end
  redis.call("HSET", limit.hash, "kept", micros(now + 60000000))
  redis.call("PEXPIRE", limit.hash, micros((lease + limit.span) / 1000 + 87600000))
end

-- What was answered a window ago is over.
local expire = function(limit)
  local over = now - limit.span
  local cost = over > limit.over and answered(limit, limit.over, over) or 0
  if cost == 0 then return end
  limit.used, limit.over = limit.used - cost, over
  redis.call("ZREMRANGEBYSCORE", limit.done, "-inf", micros(over - longestRoundTrip))
end

-- Calls of processes that died count as answered at the end of their lease. Only a limit that is full has to look for them.
local bury = function(limit)
  local dead = redis.call("ZRANGEBYSCORE", limit.out, "-inf", micros(now), "WITHSCORES")
  if #dead == 0 then return false end
  for index = 1, #dead, 2 do
    redis.call("ZREM", limit.out, dead[index])
    addDone(limit, tonumber(dead[index + 1]), dead[index])
  end
  expire(limit)
  return true
end

local inForce = function(limit, stated)
  if limit.learnt and (limit.believed < 0 or now < limit.believed) then return limit.learnt end
  return stated
end

-- From when on a call fits: now or earlier when it fits already, -1 when that depends on an answer.
local freeAt = function(limit, stated, cost, spare, before)
  local allowed = inForce(limit, stated) - cost - spare
  if before > 0 then allowed = allowed - before else allowed = math.max(allowed, 0) end
  local used = limit.used
  if used <= allowed then return math.max(now, limit.closed) end
  local from = 0
  while true do
    local after = "(" .. micros(limit.over)
    local page = redis.call("ZRANGEBYSCORE", limit.done, after, "+inf", "WITHSCORES", "LIMIT", from, 64)
    if #page == 0 then return -1 end
    for index = 1, #page, 2 do
      used = used - costOf(page[index])
      if used <= allowed then return math.max(tonumber(page[index + 1]) + limit.span, limit.closed) end
    end
    from = from + 64
  end
end
`

// The calls that wait for a limit: id, start of the wait, cost, rank, and how long each keeps its place without a new attempt.
const queue = `
local waiter, rank = ARGV[5], tonumber(ARGV[6]) or math.huge

local waiting = function(limit)
  local calls = {}
  for id, since, cost, rank, ends in string.gmatch(limit.queue, "(%S+) (%d+) (%d+) (%d+) (%d+);") do
    if tonumber(ends) > now then
      calls[id] = { since = tonumber(since), cost = tonumber(cost), rank = tonumber(rank), ends = tonumber(ends) }
    end
  end
  return calls
end

-- The places that calls before this one wait for.
local before = function(calls)
  local own, sum = calls[waiter], 0
  for id, each in pairs(calls) do
    local isEarlier = not own or each.since < own.since or (each.since == own.since and id < waiter)
    if id ~= waiter and (each.rank < rank or (each.rank == rank and isEarlier)) then sum = sum + each.cost end
  end
  return sum
end

local saveQueue = function(limit, calls)
  local texts = {}
  for id, each in pairs(calls) do
    texts[#texts + 1] = table.concat({ id, micros(each.since), each.cost, each.rank, micros(each.ends) }, " ") .. ";"
  end
  redis.call("HSET", limit.hash, "queue", table.concat(texts))
end
`

/**
 * ARGV from 3: the id, the lease, the name and the rank of a waiting call or "", and for each charge its limit, span, cost and spare
 * places. An id in flight already has its places, so a client whose connection was lost before the reply can send the script again.
 */
export const reserve = `${prelude}${queue}
local id, lease = ARGV[3], tonumber(ARGV[4])
local charges = (#KEYS - 1) / 3
local memberOf = function(index) return id .. ":" .. index .. ":" .. ARGV[4 * index + 5] end
local latest, full, taken = now, {}, {}
for index = 1, charges do
  local at = 4 * index + 3
  local limit = limitAt(index, tonumber(ARGV[at + 1]))
  expire(limit)
  local stated, cost, spare = tonumber(ARGV[at]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local calls = waiting(limit)
  local ahead = before(calls)
  local free = freeAt(limit, stated, cost, spare, ahead)
  if (free < 0 or free > now) and bury(limit) then free = freeAt(limit, stated, cost, spare, ahead) end
  if free < 0 or free > now then
    full[#full + 1] = index
    if free < 0 or latest < 0 then latest = -1 else latest = math.max(latest, free) end
  end
  taken[index] = { limit = limit, cost = cost, calls = calls }
end
if #full > 0 and not redis.call("ZSCORE", taken[1].limit.out, memberOf(1)) then
  if waiter ~= "" then
    for _, each in ipairs(taken) do
      local own = each.calls[waiter]
      each.calls[waiter] = { since = own and own.since or now, cost = each.cost, rank = rank, ends = now + ${RemoteStore.queueLease} }
      saveQueue(each.limit, each.calls)
      keep(each.limit, lease)
    end
  end
  save()
  return { "Full", life, latest < 0 and "-1" or micros(latest - now), full }
end
for index, each in ipairs(taken) do
  local limit = each.limit
  keep(limit, lease)
  if each.calls[waiter] then
    each.calls[waiter] = nil
    saveQueue(limit, each.calls)
  end
  if addOut(limit, now + lease, memberOf(index)) then limit.used = limit.used + each.cost end
end
save()
return { "Taken", life, micros(now + lease) }
`

/**
 * ARGV from 3: the id, the life in which it was reserved, the end of its lease, whether it was sent, the microseconds since the end of the
 * call and until its request can no longer arrive, and for each charge its span and cost. A settlement of an earlier life, or after the
 * lease, is counted if its place is gone, because the service can have counted the call since.
 */
export const settle = `${prelude}
local id, isSent = ARGV[3], ARGV[6] == "1"
local isLate = life ~= ARGV[4] or now > tonumber(ARGV[5])
local countedBy = now - tonumber(ARGV[7]) + tonumber(ARGV[8])
for index = 1, (#KEYS - 1) / 3 do
  local at = 2 * index + 7
  local limit = limitAt(index, tonumber(ARGV[at]))
  local member = id .. ":" .. index .. ":" .. ARGV[at + 1]
  local cost = tonumber(ARGV[at + 1])
  if redis.call("ZREM", limit.out, member) == 1 then
    if isSent then addDone(limit, countedBy, member) else limit.used = limit.used - cost end
  elseif isLate and isSent then
    local counted = tonumber(redis.call("ZSCORE", limit.done, member) or -1)
    if counted < countedBy then
      if counted <= limit.over then limit.used = limit.used + cost end
      addDone(limit, countedBy, member)
    end
  end
  keep(limit, 0)
end
save()
return { "Settled", life }
`

/**
 * ARGV from 3: an id, the charge's limit and span, the round trip, the limit in the response or "", the remaining places in the response or
 * "", whether the call was refused, and how long the service accepts no calls, or 0.
 */
export const observe = `${prelude}
local span, stated = tonumber(ARGV[5]), tonumber(ARGV[4])
local limit = limitAt(1, span)
local sentAt = now - tonumber(ARGV[6])
local named, remaining = tonumber(ARGV[7]), tonumber(ARGV[8])
keep(limit, 0)
if sentAt >= limit.observed then
  redis.call("HSET", limit.hash, "observed", micros(sentAt))
  if named then
    redis.call("HSET", limit.hash, "learnt", named, "believed", "-1")
    limit.learnt, limit.believed = named, -1
    if remaining and remaining >= 0 and now - sentAt <= longestRoundTrip then
      local after = sentAt - span
      local ours = limit.used
      if after < limit.over then ours = ours + answered(limit, after, limit.over)
      else ours = ours - answered(limit, limit.over, after) end
      local theirs = named - remaining - ours
      if theirs > 0 then
        limit.used = limit.used + theirs
        addDone(limit, now, ARGV[3] .. ":1:" .. theirs)
      end
    end
  end
end
if ARGV[9] == "1" then
  local reset = tonumber(ARGV[10])
  if reset <= 0 or reset > span then reset = span end
  redis.call("HSET", limit.hash, "closed", micros(math.max(limit.closed, now + reset)))
  if not named then
    local guess = math.max(1, math.min(answered(limit, sentAt - span, now), inForce(limit, stated)))
    redis.call("HSET", limit.hash, "learnt", guess, "believed", micros(now + 600000000))
  end
end
save()
return { "Observed", life }
`

/** ARGV from 3: the charge's limit and span. */
export const state = `${prelude}
local limit = limitAt(1, tonumber(ARGV[4]))
bury(limit)
expire(limit)
save()
local stated = tonumber(ARGV[3])
local whole = inForce(limit, stated)
local free = freeAt(limit, stated, 1, 0, 0)
local remaining = now < limit.closed and 0 or math.max(whole - limit.used, 0)
return { "State", life, tostring(whole), tostring(remaining), free < 0 and "-1" or micros(free - now) }
`
