import { capability } from '../../lib/index.js';

/**
 * The capability key of the option `secret` of a server. Features receive only the options of the engine, and `secret`
 * is not one of them.
 */
export const SECRET = capability<string>('server secret', 'OAuth2Module');
