import { hash } from 'node:crypto';

/** A Lua script, which Redis runs as one atomic step. */
export interface Script {
  text: string;
  sha: string;
}

/** Builds a script. After it was sent once, Redis knows it by its SHA-1. */
export const script = (...parts: string[]): Script => {
  const text = parts.join('\n').trim();
  return { text, sha: hash('sha1', text) };
};

// Parts of the scripts in `scripts.ts`.

// All times are read from the clock of Redis, since clocks of processes may differ. Lifetimes are passed in
// milliseconds, `''` meaning no expiry.

export const NOW = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(moment) return string.format('%.0f', moment) end
local function moment(ttl) return ttl == '' and 8.64e15 or now() + ttl end`;

// The following scripts store a code or token as one string, the most compact type of Redis. It is JSON. When it is
// used, a prefix is added: the time, the ID of the attempt, and the new data, or `-` if the data is unchanged.

/** Lua: saves the row of a code or token. If the row exists and is marked as used, it is not changed. */
export const ROW = `
local function save_row(key, json, ttl)
  local row = redis.call('GET', key)
  if row and string.sub(row, 1, 1) ~= '{' then return end
  if ttl == '' then redis.call('SET', key, json)
  elseif tonumber(ttl) > 0 then redis.call('SET', key, json, 'PX', ttl) end
end`;

/**
 * Lua: splits the text of an inserted row into the text of the row, and the ID of its insertion at the end of the JSON.
 * The ID is empty for rows that were saved otherwise.
 */
export const INSERTION = `
local function without_insertion(row)
  if not row then return nil, '' end
  local start, insertion = string.match(row, '^(.*)(,"insertion":"[%x-]+")}$')
  if start then return start .. '}', insertion end
  return row, ''
end`;

/**
 * Lua: marks a code or token as used, with the ID of this attempt. Returns 0 if another attempt has done so. A driver
 * may send a command again after a lost connection, and the repeated attempt succeeds like the first.
 */
export const CONSUMING = `
local function consume_row(key, attempt, data)
  local row = redis.call('GET', key)
  if not row then return 0 end
  if string.sub(row, 1, 1) ~= '{' then return string.match(row, '^%S+ (%S+) ') == attempt and 2 or 0 end
  redis.call('SET', key, text(now()) .. ' ' .. attempt .. ' ' .. data .. ' ' .. row, 'KEEPTTL')
  return 1
end`;

/**
 * Lua: saves a new grant, or extends a grant that exists. A revoked grant is not changed. `generation` is the
 * generation of its client, `userGeneration` that of its user. Both are empty if the grant is only to be extended.
 * `userGeneration` is also empty if the grant has no user.
 */
export const GRANT = `
local function save_grant(key, generation, userGeneration, ttl, isUsed, fields)
  local revoked = redis.call('HGET', key, 'revokedAt')
  if not revoked then
    if generation == '' then return end
    redis.call('HSET', key, 'revokedAt', '', 'generation', generation, 'userGeneration', userGeneration,
      'createdAt', text(now()), unpack(fields))
  elseif revoked ~= '' then return end
  if isUsed == '1' then redis.call('HSET', key, 'lastUsedAt', text(now())) end
  local expiry = redis.call('HGET', key, 'expiresAt')
  if not expiry or moment(ttl) > tonumber(expiry) then
    redis.call('HSET', key, 'expiresAt', text(moment(ttl)))
    -- Requests in progress still find a revoked grant for a minute after it expired.
    redis.call('PEXPIREAT', key, text(moment(ttl) + 60000))
  end
end`;

/**
 * Lua: adds a grant to the sorted set of the grants of a user or client, and removes up to 100 expired ones. Scores
 * below 0 belong to `USER_GENERATIONS`.
 */
export const LIST = `
local function list_grant(key, id, ttl)
  redis.call('ZADD', key, 'GT', text(moment(ttl) + 60000), id)
  local expired = redis.call('ZRANGEBYSCORE', key, 0, '(' .. text(now()), 'LIMIT', 0, 100)
  if #expired > 0 then redis.call('ZREM', key, unpack(expired)) end
  local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  if last[2] then redis.call('PEXPIREAT', key, string.format('%.0f', last[2])) end
end`;

export const GENERATION = `
local function generation_of(key) return redis.call('HGET', key, 'generation') or '0' end`;

/**
 * Lua: functions that begin, keep and increase the generation of a client. It is based on the time in microseconds, so
 * a value that Redis has evicted is never reused, and revoked grants stay revoked. If the client is not saved, the key
 * expires two minutes after the last grant, because strangers may name any client that a document describes.
 */
export const GENERATIONS = `
local function keep_generation(key, ttl, isNew)
  -- A saved client stays until it is removed. A key without expiry keeps a grant that never expires.
  if redis.call('HEXISTS', key, 'createdAt') == 1 then return end
  local left = redis.call('PTTL', key)
  if left < 0 and not isNew then return end
  if ttl == '' then redis.call('PERSIST', key)
  elseif isNew or tonumber(ttl) + 120000 > left then redis.call('PEXPIREAT', key, text(moment(ttl) + 120000)) end
end
local function end_generation(key)
  local time = redis.call('TIME')
  redis.call('HSET', key, 'generation', text(math.max(time[1] * 1000000 + time[2], generation_of(key) + 1)))
end
local function begin_generation(key, ttl)
  local isNew = generation_of(key) == '0'
  if isNew then end_generation(key) end
  keep_generation(key, ttl, isNew)
  return generation_of(key)
end`;

/**
 * Lua: functions for the generations of a user's grants of one kind. They are stored in the sorted set of these grants,
 * so that both expire together. Members that begin with NUL have a generation as a negative score: the member NUL the current
 * generation, and each member of `revocationMembers()` the generation with which the grants of the user, or of one
 * client or issuer, were revoked. A grant is active if its own generation is not lower than any of these. If Redis has
 * evicted the set, all grants of the user count as revoked.
 */
export const USER_GENERATIONS = `
local ALL = '\\0*'
local function next_generation(key)
  local time = redis.call('TIME')
  local last = redis.call('ZSCORE', key, '\\0')
  return text(math.max(time[1] * 1000000 + time[2], last and 1 - last or 0))
end
local function begin_user(key)
  local last = redis.call('ZSCORE', key, '\\0')
  if last then return text(-last) end
  local first = next_generation(key)
  redis.call('ZADD', key, '-' .. first, '\\0', '-' .. first, ALL)
  return first
end
local function end_user(key, member)
  if not redis.call('ZSCORE', key, '\\0') then return end
  local next = '-' .. next_generation(key)
  redis.call('ZADD', key, next, '\\0', next, member)
end
local function is_current(key, generation, client, issuer)
  local last = redis.call('ZSCORE', key, '\\0')
  if not last or not tonumber(generation) then return false end
  -- Fast path: no grant of this user was revoked since.
  if -last <= tonumber(generation) then return true end
  local names = { ALL, '\\0c' .. client }
  if type(issuer) == 'string' then
    names[3] = '\\0i' .. issuer
    names[4] = '\\0b' .. #client .. ':' .. client .. issuer
  end
  local scores = redis.call('ZMSCORE', key, unpack(names))
  if not scores[1] then return false end
  for index = 1, #names do
    if scores[index] and -scores[index] > tonumber(generation) then return false end
  end
  return true
end`;

/**
 * Lua: saves a grant, its entries in lists, and rows. KEYS: grant, client, lists (the list of the user last), rows.
 * ARGV: ID, number of lists, whether one is the user's, expiry, whether the grant is used, number of fields, fields;
 * then for each row its JSON and expiry.
 */
export const SAVING = `
local function save(k, a)
  local fields, lists, userGeneration = {}, tonumber(ARGV[a + 1]), ''
  for field = 1, tonumber(ARGV[a + 5]) do fields[field] = ARGV[a + 5 + field] end
  for list = 1, lists do list_grant(KEYS[k + 1 + list], ARGV[a], ARGV[a + 3]) end
  if ARGV[a + 2] == '1' then userGeneration = begin_user(KEYS[k + 1 + lists]) end
  save_grant(KEYS[k], begin_generation(KEYS[k + 1], ARGV[a + 3]), userGeneration, ARGV[a + 3], ARGV[a + 4], fields)
  a = a + 6 + #fields
  for row = k + 2 + lists, #KEYS do
    save_row(KEYS[row], ARGV[a], ARGV[a + 1])
    a = a + 2
  end
end`;
