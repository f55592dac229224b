import { findDatabaseKinds } from '../processes/databases.js';
import { describeVaultCrashes } from '../processes/vault-races.js';
import { findDatabasesOfLibraries } from '../stores/typeorm-databases.js';
import { KILLS } from './kills.js';

describeVaultCrashes(await findDatabaseKinds(findDatabasesOfLibraries), Math.ceil(KILLS / 2));
