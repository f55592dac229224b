import { REVISION } from '../not-before.js';
import { script } from './script.js';

export const READ_TEXT = script(`return redis.call('GET', KEYS[1])`);

/** '' stands for nothing yet; a script that is sent again, since its answer was lost, finds what it has done. */
export const REPLACE_TEXT = script(`
local kept = redis.call('GET', KEYS[1]) or ''
if kept == ARGV[2] then return 1 end
if kept ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`);

/** The revision that a text begins with; empty if there is no such text. */
export const READ_REVISION = script(`return redis.call('GETRANGE', KEYS[1], 0, ${REVISION - 1})`);
