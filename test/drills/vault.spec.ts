import { findDatabaseKinds } from '../processes/databases.js';
import { describeVaultCrashes } from '../processes/vault-races.js';

describeVaultCrashes(await findDatabaseKinds('all'), 25);
