/** The address of the Redis server in `compose.yaml`. */
export const REDIS_URL_BY_DEFAULT = 'redis://127.0.0.1:6379';

/** The address of the Redis server of the tests: the variable `REDIS_URL`, or the server in `compose.yaml`. */
export const REDIS_URL = process.env['REDIS_URL'] ?? REDIS_URL_BY_DEFAULT;
