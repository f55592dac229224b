import { GENERATION, GENERATIONS, GRANT, SAVING, LIST, NOW, ROW, script, CONSUMING, USER_GENERATIONS } from './lua.js';
import { REVISION_LENGTH } from '../contract/not-before.js';
import { GRANT_FIELDS } from './stored-grant.js';

// On one server, each method is one script on all its keys.

export const SAVE = script(NOW, ROW, GRANT, LIST, GENERATION, GENERATIONS, USER_GENERATIONS, SAVING, `save(1, 1)`);

/**
 * Marks the row of the first key as used and saves a grant and rows under the other keys. ARGV: the ID of the attempt,
 * the new data of the used row, and the arguments of `SAVING`.
 */
export const CONSUME_AND_SAVE = script(
  `${NOW}${ROW}${CONSUMING}${GRANT}${LIST}${GENERATION}${GENERATIONS}${USER_GENERATIONS}${SAVING}`,
  `
local consumed = consume_row(KEYS[1], ARGV[1], ARGV[2])
if consumed == 1 then save(2, 3) end
return consumed > 0 and 1 or 0`,
);

/**
 * Finds a row whose grant is active. Returns the row, its remaining time, the current time, the client, when the grant
 * began, the revision of `NOT_BEFORE`, and the kind of the grant. ARGV: the prefix of all keys, the key of `NOT_BEFORE`. Other keys are built
 * from the row.
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
  'userGeneration', 'createdAt', 'kind')
local client = ARGV[1] .. 'client:' .. known.clientId
if grant[1] ~= '' or grant[2] ~= generation_of(client) then return false end
if type(known.userId) == 'string' and
  not is_current(ARGV[1] .. 'grants-of-user:' .. (grant[5] or '') .. ':' .. known.userId, grant[3], known.clientId, known.issuer) then
  return false
end
return { row, redis.call('PTTL', KEYS[1]), now(), redis.call('HGET', client, 'client'), grant[4],
  redis.call('GETRANGE', ARGV[2], 0, ${REVISION_LENGTH - 1}), grant[5] }`,
);

// On a cluster, keys may be on different nodes. Each of these scripts accesses one key only, `KEYS[1]`.

export const SAVE_ROW = script(NOW, ROW, `save_row(KEYS[1], ARGV[1], ARGV[2])`);
export const SAVE_GRANT = script(
  NOW,
  GRANT,
  `save_grant(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], { unpack(ARGV, 5) })`,
);
export const LIST_GRANT = script(NOW, LIST, `list_grant(KEYS[1], ARGV[1], ARGV[2])`);
/** Adds a grant to the list of its user. Returns the generation of a new grant. */
export const LIST_USER_GRANT = script(
  NOW,
  LIST,
  USER_GENERATIONS,
  `list_grant(KEYS[1], ARGV[1], ARGV[2]) return begin_user(KEYS[1])`,
);
export const CONSUME = script(NOW, CONSUMING, `return consume_row(KEYS[1], ARGV[1], ARGV[2]) > 0 and 1 or 0`);
export const FIND_ROW = script(
  NOW,
  `
local row = redis.call('GET', KEYS[1])
return row and { row, redis.call('PTTL', KEYS[1]), now() }`,
);
/** Reads when a grant was revoked, its generations, when it began, and its kind. */
export const FIND_GRANT_STATE = script(
  `return redis.call('HMGET', KEYS[1], 'revokedAt', 'generation', 'userGeneration', 'createdAt', 'kind')`,
);
/** Reads a client and its generation. */
export const FIND_CLIENT_STATE = script(
  GENERATION,
  `return { redis.call('HGET', KEYS[1], 'client'), generation_of(KEYS[1]) }`,
);

// Scripts of both storages.

/** Reads the fields of a grant, and the current time. */
export const FIND_GRANT = script(
  NOW,
  `
local found = redis.call('HMGET', KEYS[1], ${GRANT_FIELDS.map((field) => `'${field}'`).join(', ')})
found[#found + 1] = now()
return found`,
);

/** Revokes a grant. It is kept until it expires, so that nothing can be issued for it any more. */
export const REVOKE_GRANT = script(
  NOW,
  `
if redis.call('HGET', KEYS[1], 'revokedAt') ~= '' then return 0 end
redis.call('HSET', KEYS[1], 'revokedAt', text(now()))
return 1`,
);

/**
 * Returns the generations with which grants of a user were revoked, as negative numbers. ARGV: results of
 * `revocationMembers()`.
 */
export const FIND_REVOCATIONS = script(`return redis.call('ZMSCORE', KEYS[1], unpack(ARGV))`);
/**
 * Revokes all grants in lists of a user that a member of `revocationMembers()` covers, in one step. Returns the length of
 * the lists.
 */
export const REVOKE_USER_GRANTS = script(
  NOW,
  USER_GENERATIONS,
  `
local count = 0
for _, key in ipairs(KEYS) do
  end_user(key, ARGV[1])
  count = count + redis.call('ZCOUNT', key, text(now()), '+inf')
end
return count`,
);

/** Returns a batch of a list. ARGV: the cursor of the previous batch, or 0. */
export const LIST_PAGE = script(`return redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', 500)`);
/**
 * Reads IDs and scores of a list after a position. The position is the score and ID of an entry, which may have been
 * removed or moved. ARGV: number of entries, and optionally that score and ID.
 */
export const LIST_AFTER = script(`
local start = redis.call('ZCOUNT', KEYS[1], '-inf', '(0')
if ARGV[2] then
  local position = ARGV[3] .. '\\0'
  redis.call('ZADD', KEYS[1], ARGV[2], position)
  start = math.max(start, redis.call('ZRANK', KEYS[1], position))
  redis.call('ZREM', KEYS[1], position)
end
return redis.call('ZRANGE', KEYS[1], start, start + ARGV[1] - 1, 'WITHSCORES')`);
export const LEAVE_LIST = script(`return redis.call('ZREM', KEYS[1], ARGV[1])`);
/** Deletes the list of a user or client. Returns how many of its entries had not expired. */
export const DROP_LIST = script(
  NOW,
  `
local count = redis.call('ZCOUNT', KEYS[1], text(now()), '+inf')
redis.call('UNLINK', KEYS[1])
return count`,
);

export const FIND_CLIENT = script(
  NOW,
  `
local found = redis.call('HMGET', KEYS[1], 'client', 'secretHashes', 'createdAt')
found[4] = now()
return found`,
);

/**
 * Saves a client if the stored one is unchanged. ARGV: the client and secret hashes as they were read (empty: none),
 * the new ones, whether to revoke all grants, and the ID of the attempt. A client that replaces a removed one also gets
 * a new generation, so that it does not get the grants of requests in progress. The first client with an ID keeps
 * grants that were saved before it: a dynamically registered client is saved only when it is first used.
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
redis.call('PERSIST', KEYS[1])
return 1`,
);

/** Adds a client unless a client with this ID exists or was removed. ARGV: client, secret hashes, ID of the attempt. */
export const ADD_NEW_CLIENT = script(
  NOW,
  `
local kept = redis.call('HMGET', KEYS[1], 'createdAt', 'attempt')
if kept[1] then return kept[2] == ARGV[3] and 1 or 0 end
redis.call('HSET', KEYS[1], 'createdAt', text(now()), 'client', ARGV[1], 'secretHashes', ARGV[2], 'attempt', ARGV[3])
redis.call('PERSIST', KEYS[1])
return 1`,
);

export const ADD_CLIENT_ID = script(`return redis.call('ZADD', KEYS[1], 0, ARGV[1])`);
/** Lists client IDs in their order. ARGV: the ID to start after, and the number of IDs. */
export const LIST_CLIENT_IDS = script(
  `return redis.call('ZRANGE', KEYS[1], ARGV[1], '+', 'BYLEX', 'LIMIT', 0, ARGV[2])`,
);
export const CLOCK = script(NOW, `return now()`);

/** Revokes all grants of a client at once: none of them has the new generation. ARGV: the lifetime of a new key. */
export const END_GENERATION = script(
  NOW,
  GENERATION,
  GENERATIONS,
  `
local isNew = generation_of(KEYS[1]) == '0'
end_generation(KEYS[1])
keep_generation(KEYS[1], ARGV[1], isNew)`,
);
/** Returns the generation of a client, which a new grant of this client gets. ARGV: the lifetime of the grant. */
export const BEGIN_GENERATION = script(NOW, GENERATION, GENERATIONS, `return begin_generation(KEYS[1], ARGV[1])`);

/**
 * Removes a client. Its generation and creation time stay for a day, so that requests in progress do not add it again.
 * Later, its grants stay revoked: no new generation equals theirs.
 */
export const REMOVE_CLIENT = script(
  NOW,
  GENERATION,
  GENERATIONS,
  `
local removed = redis.call('HDEL', KEYS[1], 'client')
redis.call('HDEL', KEYS[1], 'secretHashes')
redis.call('HSETNX', KEYS[1], 'createdAt', text(now()))
end_generation(KEYS[1])
redis.call('PEXPIRE', KEYS[1], 86400000)
return removed`,
);

export const REMOVE = script(`return redis.call('DEL', KEYS[1])`);
