// The store over a storage of the application, and the base class of all stores.
export { OAuth2Store, type OAuth2StoreOptions } from './store/oauth2-store.js';
export { Store, type StoreOptions } from './store/store.js';
export type { ClientPage, ClientRecord, ClientStorage } from './contract/client-storage.js';
export type {
  StoredRow,
  GrantFilter,
  GrantKind,
  GrantKinds,
  GrantPage,
  GrantRow,
  RowKey,
  RowKind,
  RowKinds,
  Row,
  ConsumedRow,
  Storage,
} from './contract/storage.js';

// Kinds of grants: `revokeGrants()` of a storage must revoke all grants of a client at once if `isWholeClient()` is true.
export { isWholeClient } from './contract/grant-kinds.js';

// Grants that `revokeBefore()` has revoked: `find()`, `listGrants()` and `pageGrants()` of a storage must omit them.
export {
  isRevokedBefore,
  RevocationTimesCache,
  withoutRevokedBefore,
  type RevocationTimes,
  type RevocationTimesByIssuer,
  parseRevocationTimes,
  NOT_BEFORE,
  REVISION_LENGTH,
} from './contract/not-before.js';

// A database that does not respond: requests fail with 503 `temporarily_unavailable` after a deadline.
export { Deadline, type DeadlineOption, type TimedOperation } from './contract/deadline.js';
export { isOutage } from './contract/outage.js';

// Tables: their columns and indices, for any relational database.
export {
  CLIENT_COLUMNS,
  type Column,
  type Columns,
  dayOf,
  GRANT_COLUMNS,
  GRANT_INDICES,
  grantRecord,
  ROW_COLUMNS,
  ROW_INDICES,
} from './contract/schema.js';

export type {
  AccountKey,
  CredentialKind,
  CredentialModel,
  NewCredential,
  StoredCredential,
} from '../model/credentials.js';
export type { Count } from '../model/counts.js';
export { FOREVER } from '../tokens/lifetime.js';
export type { ActiveGrant } from './grants/active-grant.js';
export * from './store/exports-of-stores.js';
export { registerStorageLocation } from './contract/storage-location.js';
export type { SecretCheckOptions } from './clients/secret-check.js';
export { verifyClient } from './clients/verify-client.js';
