import { hash } from 'node:crypto';

/** A step that Redis takes as a whole. */
export interface Script {
  text: string;
  sha: string;
}

/** Redis knows it by its digest, once it was sent. */
export const script = (...parts: string[]): Script => {
  const text = parts.join('\n').trim();
  return { text, sha: hash('sha1', text) };
};

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
export const CONSUMING = `
local function spend_row(key, attempt, data)
  local row = redis.call('GET', key)
  if not row then return 0 end
  if string.sub(row, 1, 1) ~= '{' then return string.match(row, '^%S+ (%S+) ') == attempt and 2 or 0 end
  redis.call('SET', key, text(now()) .. ' ' .. attempt .. ' ' .. data .. ' ' .. row, 'KEEPTTL')
  return 1
end`;

/**
 * Keeps a grant unless it was revoked. `generation` is that of its client, `userGeneration` that of its user: both are empty
 * if the grant exists already, and the latter if no user is involved.
 */
export const GRANT = `
local function keep_grant(key, generation, userGeneration, ttl, isUsed, fields)
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
    -- What is being issued meanwhile still finds it revoked.
    redis.call('PEXPIREAT', key, text(moment(ttl) + 60000))
  end
end`;

/** Adds a grant to a list, and removes up to 100 expired grants. Scores below 0 belong to `USERS`. */
export const LIST = `
local function list_grant(key, id, ttl)
  redis.call('ZADD', key, 'GT', text(moment(ttl) + 60000), id)
  local over = redis.call('ZRANGEBYSCORE', key, 0, '(' .. text(now()), 'LIMIT', 0, 100)
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

/**
 * The generations of a user's grants, in the list of these grants, so that both expire together. Members that begin with NUL
 * hold a counter as a negative score: NUL alone the current generation, the others (see `endings()`) the generation with which
 * the grants of the user, or those of one client or issuer, were ended. A grant is alive if its own generation is not lower
 * than any of these. If Redis has evicted the list, all grants of the user are dead.
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
local function end_user(key, ending)
  if not redis.call('ZSCORE', key, '\\0') then return end
  local next = '-' .. next_generation(key)
  redis.call('ZADD', key, next, '\\0', next, ending)
end
local function is_current(key, generation, client, issuer)
  local last = redis.call('ZSCORE', key, '\\0')
  if not last or not tonumber(generation) then return false end
  -- Usually no grant of this user was ended since.
  if -last <= tonumber(generation) then return true end
  local names = { ALL, '\\0c' .. client }
  if type(issuer) == 'string' then
    names[3] = '\\0i' .. issuer
    names[4] = '\\0b' .. #client .. ':' .. client .. issuer
  end
  local endings = redis.call('ZMSCORE', key, unpack(names))
  if not endings[1] then return false end
  for index = 1, #names do
    if endings[index] and -endings[index] > tonumber(generation) then return false end
  end
  return true
end`;

/**
 * Keeps a grant, its place in lists, and rows. KEYS: grant, client, lists (that of the user last), rows. ARGV: id, number of
 * lists, whether one is the user's, expiry, whether the grant is used, number of fields, fields; for each row JSON and expiry.
 */
export const SAVING = `
local function keep(k, a)
  local fields, lists, userGeneration = {}, tonumber(ARGV[a + 1]), ''
  for field = 1, tonumber(ARGV[a + 5]) do fields[field] = ARGV[a + 5 + field] end
  for list = 1, lists do list_grant(KEYS[k + 1 + list], ARGV[a], ARGV[a + 3]) end
  if ARGV[a + 2] == '1' then userGeneration = begin_user(KEYS[k + 1 + lists]) end
  keep_grant(KEYS[k], begin_generation(KEYS[k + 1]), userGeneration, ARGV[a + 3], ARGV[a + 4], fields)
  a = a + 6 + #fields
  for row = k + 2 + lists, #KEYS do
    keep_row(KEYS[row], ARGV[a], ARGV[a + 1])
    a = a + 2
  end
end`;
