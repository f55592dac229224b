import { REVISION_LENGTH } from '../contract/not-before.js';
import { script } from './lua.js';

// Scripts for single-use values, counters and texts. Each accesses one key only, `KEYS[1]`.

/** Marks a value as used. ARGV: the ID of the attempt, and the milliseconds for which the value is remembered. */
export const ONCE = script(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0`);

/**
 * Adds to a counter. The first addition sets its expiry. Returns the count and its remaining time. ARGV: the number to
 * add, and the milliseconds of a new window.
 */
export const COUNT = script(`
local count, by = tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then
  if by <= 0 then return { 0, 0 } end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  count = by
elseif by ~= 0 then
  count = math.max(count + by, 0)
  redis.call('SET', KEYS[1], string.format('%.0f', count), 'KEEPTTL')
end
return { count, redis.call('PTTL', KEYS[1]) }`);

export const READ_TEXT = script(`return redis.call('GET', KEYS[1])`);

/**
 * Replaces a text if it equals the old text. ARGV: the old text (empty: none) and the new one. It also succeeds if it
 * is sent again after a lost response.
 */
export const REPLACE_TEXT = script(`
local kept = redis.call('GET', KEYS[1]) or ''
if kept == ARGV[2] then return 1 end
if kept ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`);

/** Reads the revision at the beginning of a text. The result is empty if there is no text. */
export const READ_REVISION = script(`return redis.call('GETRANGE', KEYS[1], 0, ${REVISION_LENGTH - 1})`);
