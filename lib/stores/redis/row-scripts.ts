import { INSERTION, script } from './lua.js';

// Scripts that change single rows. Each accesses one key only, `KEYS[1]`.

/**
 * Replaces the text of an unused row, and its lifetime in milliseconds unless that is `''`. The ID of its insertion
 * stays. It also succeeds if it is sent again after a lost response.
 */
export const UPDATE = script(
  INSERTION,
  `
local row = redis.call('GET', KEYS[1])
local text, insertion = without_insertion(row)
if text == ARGV[2] then return 1 end
if text ~= ARGV[1] then return 0 end
local next = string.sub(ARGV[2], 1, -2) .. insertion .. '}'
if ARGV[3] == '' then redis.call('SET', KEYS[1], next, 'KEEPTTL')
else redis.call('SET', KEYS[1], next, 'PX', ARGV[3]) end
return 1`,
);

/**
 * Inserts a row if the key has the expected text. ARGV: the expected text (empty: none), the new text, its lifetime, and
 * the ID of the insertion, which the text contains. It also succeeds if it is sent again after a lost response.
 */
export const INSERT_ROW = script(`
local row = redis.call('GET', KEYS[1]) or ''
if string.find(row, ARGV[4], 1, true) then return 1 end
if row ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2])
elseif tonumber(ARGV[3]) > 0 then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else redis.call('DEL', KEYS[1]) end
return 1`);

/**
 * Removes an unused row with this text. Returns the end of its text, which has the ID of its insertion. If it is sent
 * again after a lost response, the row is gone, and it returns nothing.
 */
export const REMOVE_ROW = script(
  INSERTION,
  `
local text, insertion = without_insertion(redis.call('GET', KEYS[1]))
if not text or text ~= ARGV[1] then return false end
redis.call('DEL', KEYS[1])
return insertion`,
);

/** Deletes a row of a grant, used or not. ARGV: the ID of the grant. */
export const ERASE_ROW = script(`
local row = redis.call('GET', KEYS[1])
if not row then return end
if cjson.decode(string.sub(row, string.find(row, '{', 1, true), -1)).grantId == ARGV[1] then redis.call('DEL', KEYS[1]) end`);
