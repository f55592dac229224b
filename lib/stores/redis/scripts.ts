import { hash } from 'node:crypto';

/** A step that Redis takes as a whole. */
export interface Script {
  text: string;
  sha: string;
}

const script = (text: string): Script => ({ text, sha: hash('sha1', text) });

// Each script touches one key only, `KEYS[1]`, so that on a cluster no two keys need to lie on the same node.

// A code or token is one string, the smallest thing Redis has: JSON, and before that, once it is spent, when and by whom.

/** Keeps a code or token: the row, the moment it expires. One that was spent stays so. */
export const KEEP_ROW = script(`
local row = redis.call('GET', KEYS[1])
if row and string.sub(row, 1, 1) ~= '{' then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PXAT', ARGV[2])
return 1`);

export const FIND_ROW = script(`return redis.call('GET', KEYS[1])`);

/**
 * Spends a code or token: now, and a name for this attempt. A driver that lost its connection sends a command again;
 * who won the first time has won the second time too.
 */
export const SPEND = script(`
local row = redis.call('GET', KEYS[1])
if not row then return 0 end
if string.sub(row, 1, 1) ~= '{' then return string.match(row, ' (%S+) ') == ARGV[2] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. row, 'KEEPTTL')
return 1`);

/** Keeps a grant unless it was revoked: last use or '', expiry, until when it is kept, names and values that stay. */
export const KEEP_GRANT = script(`
local revoked = redis.call('HGET', KEYS[1], 'revokedAt')
if not revoked then redis.call('HSET', KEYS[1], 'revokedAt', '', unpack(ARGV, 4)) end
if revoked and revoked ~= '' then return end
if ARGV[1] ~= '' then redis.call('HSET', KEYS[1], 'lastUsedAt', ARGV[1]) end
local expiry = redis.call('HGET', KEYS[1], 'expiresAt')
if not expiry or tonumber(ARGV[2]) > tonumber(expiry) then
  redis.call('HSET', KEYS[1], 'expiresAt', ARGV[2])
  redis.call('PEXPIREAT', KEYS[1], ARGV[3])
end`);

/** Is a grant known, and not revoked? */
export const IS_ALIVE = script(`return redis.call('HGET', KEYS[1], 'revokedAt') == '' and 1 or 0`);

export const FIND_GRANT = script(`return redis.call('HMGET', KEYS[1],
  'clientId', 'userId', 'scope', 'createdAt', 'lastUsedAt', 'expiresAt', 'revokedAt')`);

/** Revokes a grant: now. It stays until it expires, so that nothing can be issued on it any more. */
export const REVOKE_GRANT = script(`
if redis.call('HGET', KEYS[1], 'revokedAt') ~= '' then return 0 end
redis.call('HSET', KEYS[1], 'revokedAt', ARGV[1])
return 1`);

/** Lists a grant: until when, its id, now. What is over goes, so much at a time that nobody has to wait for it. */
export const LIST_GRANT = script(`
redis.call('ZADD', KEYS[1], 'GT', ARGV[1], ARGV[2])
local over = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[3], 'LIMIT', 0, 100)
if #over > 0 then redis.call('ZREM', KEYS[1], unpack(over)) end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
if last[2] then redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', last[2])) end`);

/** A page of the list: the cursor of the page before, or 0. */
export const LIST_PAGE = script(`return redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', 500)`);

export const FIND_CLIENT = script(`return redis.call('HMGET', KEYS[1], 'client', 'secretHashes')`);

/** Keeps a client: without its secrets, and these; '' leaves them as they are. */
export const SAVE_CLIENT = script(`
redis.call('HSET', KEYS[1], 'client', ARGV[1])
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'secretHashes', ARGV[2]) end
redis.call('HSETNX', KEYS[1], 'secretHashes', '[]')`);

/** Replaces the secrets of a client: those it has, those it gets. */
export const REPLACE_SECRETS = script(`
if redis.call('HGET', KEYS[1], 'secretHashes') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'secretHashes', ARGV[2])
return 1`);

export const REMOVE = script(`return redis.call('DEL', KEYS[1])`);
