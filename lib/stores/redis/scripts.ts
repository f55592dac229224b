import { GENERATION, GENERATIONS, GRANT, SAVING, LIST, NOW, ROW, script, CONSUMING, USER_GENERATIONS } from './lua.js';
import { REVISION_LENGTH } from '../not-before.js';

// On one server, a step is one script on all its keys.

export const SAVE = script(NOW, ROW, GRANT, LIST, GENERATION, GENERATIONS, USER_GENERATIONS, SAVING, `keep(1, 1)`);

/** Spends the first key and keeps the rest: by whom, and what is kept with it. */
export const CONSUME_AND_SAVE = script(
  `${NOW}${ROW}${CONSUMING}${GRANT}${LIST}${GENERATION}${GENERATIONS}${USER_GENERATIONS}${SAVING}`,
  `
local spent = spend_row(KEYS[1], ARGV[1], ARGV[2])
if spent == 1 then keep(2, 3) end
return spent > 0 and 1 or 0`,
);

/**
 * Finds a row whose grant is alive: the row, its remaining time, the current time, the client, when the grant began, and the
 * revision of `NOT_BEFORE`. ARGV: the prefix of all keys, the key of `NOT_BEFORE`. The row names the other keys.
 */
export const FIND = script(
  NOW,
  GENERATION,
  USER_GENERATIONS,
  `
local row = redis.call('GET', KEYS[1])
if not row then return false end
local known = cjson.decode(string.sub(row, string.find(row, '{', 1, true), -1))
local grant = redis.call('HMGET', ARGV[1] .. 'grant:' .. known.grantId, 'revokedAt', 'generation',
  'userGeneration', 'createdAt')
local client = ARGV[1] .. 'client:' .. known.clientId
if grant[1] ~= '' or grant[2] ~= generation_of(client) then return false end
if type(known.userId) == 'string' and
  not is_current(ARGV[1] .. 'grants-of-user:' .. known.userId, grant[3], known.clientId, known.issuer) then
  return false
end
return { row, redis.call('PTTL', KEYS[1]), now(), redis.call('HGET', client, 'client'), grant[4],
  redis.call('GETRANGE', ARGV[2], 0, ${REVISION_LENGTH - 1}) }`,
);

// On a cluster keys lie where they will: each of these touches one key only, `KEYS[1]`.

export const SAVE_ROW = script(NOW, ROW, `keep_row(KEYS[1], ARGV[1], ARGV[2])`);
export const SAVE_GRANT = script(
  NOW,
  GRANT,
  `keep_grant(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], { unpack(ARGV, 5) })`,
);
export const LIST_GRANT = script(NOW, LIST, `list_grant(KEYS[1], ARGV[1], ARGV[2])`);
/** Lists a grant of a user, and returns the generation of a new one. */
export const LIST_USER_GRANT = script(
  NOW,
  LIST,
  USER_GENERATIONS,
  `list_grant(KEYS[1], ARGV[1], ARGV[2]) return begin_user(KEYS[1])`,
);
export const CONSUME = script(NOW, CONSUMING, `return spend_row(KEYS[1], ARGV[1], ARGV[2]) > 0 and 1 or 0`);
export const FIND_ROW = script(
  NOW,
  `
local row = redis.call('GET', KEYS[1])
return row and { row, redis.call('PTTL', KEYS[1]), now() }`,
);
/** When a grant was revoked, its generations, and when it began. */
export const FIND_GRANT_STATE = script(
  `return redis.call('HMGET', KEYS[1], 'revokedAt', 'generation', 'userGeneration', 'createdAt')`,
);
/** A client, and how often its grants were ended. */
export const FIND_CLIENT_STATE = script(
  GENERATION,
  `return { redis.call('HGET', KEYS[1], 'client'), generation_of(KEYS[1]) }`,
);

// What both have in common.

/**
 * Changes an unused row from one text to another, and its lifetime in milliseconds unless that is ''. A second run, after a
 * lost reply, succeeds as well.
 */
export const UPDATE = script(`
local row = redis.call('GET', KEYS[1])
if row == ARGV[2] then return 1 end
if row ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`);

export const FIND_GRANT = script(`return redis.call('HMGET', KEYS[1],
  'clientId', 'userId', 'issuer', 'scope', 'data', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt', 'generation',
  'userGeneration')`);

/** Revokes a grant. It stays until it expires, so that nothing can be issued on it any more. */
export const REVOKE_GRANT = script(
  NOW,
  `
if redis.call('HGET', KEYS[1], 'revokedAt') ~= '' then return 0 end
redis.call('HSET', KEYS[1], 'revokedAt', text(now()))
return 1`,
);

/** With which generations grants of a user were ended, as negative numbers. ARGV: names that `endings()` returns. */
export const FIND_REVOCATIONS = script(`return redis.call('ZMSCORE', KEYS[1], unpack(ARGV))`);
/** Ends all grants of a user that fall under a name of `endings()`, in one step. Returns how many the list holds. */
export const REVOKE_USER_GRANTS = script(
  NOW,
  USER_GENERATIONS,
  `end_user(KEYS[1], ARGV[1]) return redis.call('ZCOUNT', KEYS[1], text(now()), '+inf')`,
);

/** A page of the list: the cursor of the page before, or 0. */
export const LIST_PAGE = script(`return redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', 500)`);
/**
 * Ids and scores of a list behind a place, which is the score and id of an entry that may be gone or have moved. ARGV: number
 * of entries, and optionally that score and id.
 */
export const LIST_AFTER = script(`
local start = redis.call('ZCOUNT', KEYS[1], '-inf', '(0')
if ARGV[2] then
  local place = ARGV[3] .. '\\0'
  redis.call('ZADD', KEYS[1], ARGV[2], place)
  start = math.max(start, redis.call('ZRANK', KEYS[1], place))
  redis.call('ZREM', KEYS[1], place)
end
return redis.call('ZRANGE', KEYS[1], start, start + ARGV[1] - 1, 'WITHSCORES')`);
export const LEAVE_LIST = script(`return redis.call('ZREM', KEYS[1], ARGV[1])`);
/** Empties a list, and says how long it was. */
export const DROP_LIST = script(
  NOW,
  `
local count = redis.call('ZCOUNT', KEYS[1], text(now()), '+inf')
redis.call('UNLINK', KEYS[1])
return count`,
);

/** Takes something for the first time, under a name for this attempt, for so many milliseconds. */
export const ONCE = script(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0`);

export const FIND_CLIENT = script(
  NOW,
  `
local found = redis.call('HMGET', KEYS[1], 'client', 'secretHashes', 'createdAt')
found[4] = now()
return found`,
);

/**
 * Keeps a client under a name for this attempt, if it is as it was, '' for none: without its secrets, and these. What was
 * issued to one that is gone, by a request on its way, is not for the one that comes back; one that was never there has nothing to
 * come back to: a client that registered itself is kept here when it is first used, and what it was promised until then counts.
 */
export const SAVE_CLIENT = script(
  NOW,
  GENERATION,
  GENERATIONS,
  `
local kept = redis.call('HMGET', KEYS[1], 'client', 'secretHashes', 'attempt', 'createdAt')
if kept[3] == ARGV[6] then return 1 end
if (kept[1] or '') ~= ARGV[1] or (kept[2] or '') ~= ARGV[2] then return 0 end
if ARGV[5] == '1' or not kept[1] and kept[4] then end_generation(KEYS[1]) end
if not kept[1] then redis.call('HSET', KEYS[1], 'createdAt', text(now())) end
redis.call('HSET', KEYS[1], 'client', ARGV[3], 'secretHashes', ARGV[4], 'attempt', ARGV[6])
return 1`,
);

/** Adds a client under a name for this attempt, unless a client with this id exists or was removed. */
export const ADD_NEW_CLIENT = script(
  NOW,
  `
local kept = redis.call('HMGET', KEYS[1], 'createdAt', 'attempt')
if kept[1] then return kept[2] == ARGV[3] and 1 or 0 end
redis.call('HSET', KEYS[1], 'createdAt', text(now()), 'client', ARGV[1], 'secretHashes', ARGV[2], 'attempt', ARGV[3])
return 1`,
);

export const ADD_CLIENT_ID = script(`return redis.call('ZADD', KEYS[1], 0, ARGV[1])`);
/** Ids in their order, from behind one of them. */
export const LIST_CLIENT_IDS = script(
  `return redis.call('ZRANGE', KEYS[1], ARGV[1], '+', 'BYLEX', 'LIMIT', 0, ARGV[2])`,
);
export const CLOCK = script(NOW, `return now()`);

/** Ends all grants of a client at once: none of them is of its generation any more. */
export const END_GENERATION = script(NOW, GENERATION, GENERATIONS, `end_generation(KEYS[1])`);
/** The generation of a grant that is new. */
export const BEGIN_GENERATION = script(NOW, GENERATION, GENERATIONS, `return begin_generation(KEYS[1])`);

/** Removes a client. Its generation and creation time stay: a later client with this id must not revive the grants. */
export const REMOVE_CLIENT = script(
  NOW,
  GENERATION,
  GENERATIONS,
  `
local removed = redis.call('HDEL', KEYS[1], 'client')
redis.call('HDEL', KEYS[1], 'secretHashes')
redis.call('HSETNX', KEYS[1], 'createdAt', text(now()))
if removed > 0 then end_generation(KEYS[1]) end
return removed`,
);

export const READ_TEXT = script(`return redis.call('GET', KEYS[1])`);

/** '' stands for nothing yet; a script that is sent again, since its answer was lost, finds what it has done. */
export const REPLACE_TEXT = script(`
local kept = redis.call('GET', KEYS[1]) or ''
if kept == ARGV[2] then return 1 end
if kept ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`);

/** The revision that a text begins with; empty if there is no such text. */
export const READ_REVISION = script(`return redis.call('GETRANGE', KEYS[1], 0, ${REVISION_LENGTH - 1})`);

export const REMOVE = script(`return redis.call('DEL', KEYS[1])`);
