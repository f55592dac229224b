/** One PostgreSQL for all, reached by each server with so many connections. */
export const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
export const CONNECTIONS = 16;
/** Milliseconds after which an idle one is closed: who waits for its turn must not hold what PostgreSQL has for all. */
export const IDLE = 1000;

/** By this name PostgreSQL lists the connections of a server. */
export const applicationName = (pid) => `nest-oauth2-bench-${pid}`;

export async function openPool() {
  const { Pool } = (await import('pg')).default;
  return new Pool({
    connectionString: url,
    max: CONNECTIONS,
    idleTimeoutMillis: IDLE,
    application_name: applicationName(process.pid),
  });
}
