import type { DeadlineOption } from '../contract/deadline.js';
import type { Clients, Users } from '../contract/ports.js';
import type { SecretCheckOptions } from '../clients/secret-check.js';
import type { BatchingOption } from './batches.js';
import type { TableOptions } from './table-names.js';

/** The options of every store on an SQL database. */
export interface SqlStoreOptions extends TableOptions, BatchingOption, DeadlineOption, SecretCheckOptions {
  users: Users;
  /**
   * Finds the clients of the application. If omitted, the store keeps clients in a table. Add them with `saveClient()`.
   */
  clients?: Clients;
}
