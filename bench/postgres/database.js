/** The PostgreSQL server of all candidates. Each uses the same number of connections. */
export const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
export const CONNECTIONS = 16;
/**
 * Milliseconds after which an idle connection is closed, so that servers that are not measured release their
 * connections.
 */
export const IDLE = 1000;

/** The name under which PostgreSQL lists the connections of a server. */
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
