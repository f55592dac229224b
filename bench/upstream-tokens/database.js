/** The PostgreSQL server of both libraries. */
export { url } from '../postgres/database.js';

/** The maximum number of connections of each process. */
export const CONNECTIONS = 8;
