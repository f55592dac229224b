// What the scripts of `scripts.ts` are made of.

// All times are Redis's own: processes may disagree about them. What expires comes as milliseconds from now, '' for never.

export const NOW = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(moment) return string.format('%.0f', moment) end
local function moment(ttl) return ttl == '' and 8.64e15 or now() + ttl end`;

// A code or token is one string, the smallest thing Redis has: JSON, and before that, once it is spent, when, by whom, and
// what is kept with it since, or '-'.

/** Keeps a code or token. One that was spent stays so. */
export const ROW = `
local function keep_row(key, json, ttl)
  local row = redis.call('GET', key)
  if row and string.sub(row, 1, 1) ~= '{' then return end
  if ttl == '' then redis.call('SET', key, json)
  elseif tonumber(ttl) > 0 then redis.call('SET', key, json, 'PX', ttl) end
end`;

/**
 * Spends a code or token under a name for this attempt: 0 if somebody else has. A driver that lost its connection sends a
 * command again; who won the first time has won the second time too.
 */
export const SPENDING = `
local function spend_row(key, attempt, data)
  local row = redis.call('GET', key)
  if not row then return 0 end
  if string.sub(row, 1, 1) ~= '{' then return string.match(row, '^%S+ (%S+) ') == attempt and 2 or 0 end
  redis.call('SET', key, text(now()) .. ' ' .. attempt .. ' ' .. data .. ' ' .. row, 'KEEPTTL')
  return 1
end`;

/** Keeps a grant unless it was revoked; its generation is that of its client, '' for a grant that is there already. */
export const GRANT = `
local function keep_grant(key, generation, ttl, isUsed, fields)
  local revoked = redis.call('HGET', key, 'revokedAt')
  if not revoked then
    if generation == '' then return end
    redis.call('HSET', key, 'revokedAt', '', 'generation', generation, 'createdAt', text(now()), unpack(fields))
  elseif revoked ~= '' then return end
  if isUsed == '1' then redis.call('HSET', key, 'lastUsedAt', text(now())) end
  local expiry = redis.call('HGET', key, 'expiresAt')
  if not expiry or moment(ttl) > tonumber(expiry) then
    redis.call('HSET', key, 'expiresAt', text(moment(ttl)))
    -- What is being issued meanwhile still finds it revoked.
    redis.call('PEXPIREAT', key, text(moment(ttl) + 60000))
  end
end`;

/** Lists a grant. What is over goes, so much at a time that nobody has to wait for it. */
export const LIST = `
local function list_grant(key, id, ttl)
  redis.call('ZADD', key, 'GT', text(moment(ttl) + 60000), id)
  local over = redis.call('ZRANGEBYSCORE', key, '-inf', '(' .. text(now()), 'LIMIT', 0, 100)
  if #over > 0 then redis.call('ZREM', key, unpack(over)) end
  local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  if last[2] then redis.call('PEXPIREAT', key, string.format('%.0f', last[2])) end
end`;

export const GENERATION = `
local function generation_of(key) return redis.call('HGET', key, 'generation') or '0' end`;

/**
 * Counted from the moment it is first needed, so that one which Redis has evicted never comes back: what was dead stays so.
 * In microseconds: two of them may begin in one millisecond.
 */
export const GENERATIONS = `
local function end_generation(key)
  local time = redis.call('TIME')
  redis.call('HSET', key, 'generation', text(math.max(time[1] * 1000000 + time[2], generation_of(key) + 1)))
end
local function begin_generation(key)
  if generation_of(key) == '0' then end_generation(key) end
  return generation_of(key)
end`;

/** Of a grant, its client and its lists: id, how many lists, expiry, is it used, how many fields; of rows: JSON, expiry. */
export const KEEPING = `
local function keep(k, a)
  local fields, lists = {}, tonumber(ARGV[a + 1])
  for field = 1, tonumber(ARGV[a + 4]) do fields[field] = ARGV[a + 4 + field] end
  for list = 1, lists do list_grant(KEYS[k + 1 + list], ARGV[a], ARGV[a + 2]) end
  keep_grant(KEYS[k], begin_generation(KEYS[k + 1]), ARGV[a + 2], ARGV[a + 3], fields)
  a = a + 5 + #fields
  for row = k + 2 + lists, #KEYS do
    keep_row(KEYS[row], ARGV[a], ARGV[a + 1])
    a = a + 2
  end
end`;
