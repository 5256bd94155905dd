/**
 * Bans as scripts. A ban is a hash with its end and the probe, in microseconds of the Redis clock. It stays for a day after its end, during
 * which one call must probe first.
 */
const prelude = `
local micros = function(number) return string.format("%.0f", number) end
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local found = redis.call("HMGET", KEYS[1], "until", "probe", "lease")
local ends, probe, lease = tonumber(found[1]), found[2], tonumber(found[3])
`

/** ARGV: the name of a probe, and its lease. The same probe can enter again if its connection was lost before the reply. */
export const enter = `${prelude}
if not ends then return { "Open" } end
if now < ends then return { "Closed", micros(ends - now) } end
if probe and probe ~= ARGV[1] and now < lease then return { "Probing" } end
redis.call("HSET", KEYS[1], "probe", ARGV[1], "lease", micros(now + tonumber(ARGV[2])))
return { "Probe" }
`

/** ARGV: the duration. */
export const close = `${prelude}
local duration = tonumber(ARGV[1])
redis.call("HSET", KEYS[1], "until", micros(math.max(ends or 0, now + duration)))
redis.call("HDEL", KEYS[1], "probe", "lease")
redis.call("PEXPIRE", KEYS[1], micros(math.max((ends or 0) - now, duration) / 1000 + 86400000))
return { "Closed" }
`

/** ARGV: the name of the probe, and whether its response showed no ban. */
export const leave = `${prelude}
if probe ~= ARGV[1] then return { "Left" } end
if ARGV[2] == "1" then redis.call("DEL", KEYS[1]) else redis.call("HDEL", KEYS[1], "probe", "lease") end
return { "Left" }
`
