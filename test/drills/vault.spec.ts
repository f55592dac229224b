import { findDatabaseKinds } from '../processes/databases.js';
import { describeVaultCrashes } from '../processes/vault-races.js';
import { KILLS } from './kills.js';

describeVaultCrashes(await findDatabaseKinds(), Math.ceil(KILLS / 2));
