/** Nothing listens on this port: only root may, and no service uses it. */
const CLOSED = '127.0.0.1:1';

/** Addresses at which no database server listens. The tests then run as on a machine without these servers. */
export const CLOSED_SERVERS = {
  DATABASE_URL: `postgres://postgres@${CLOSED}/test`,
  MARIADB_URL: `mysql://root@${CLOSED}/test`,
  REDIS_URL: `redis://${CLOSED}`,
};
