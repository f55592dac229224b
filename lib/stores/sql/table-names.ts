export interface TableOptions {
  /** The prefix of the table names. Default: `'oauth_'`. */
  prefix?: string;
}

/** The names of the tables of a store. */
export type TableNames = ReturnType<typeof tableNames>;

/** Returns the names of the store's tables with a prefix. */
export function tableNames(prefix = 'oauth_') {
  return { clients: `${prefix}clients`, grants: `${prefix}grants`, tokens: `${prefix}tokens` };
}
