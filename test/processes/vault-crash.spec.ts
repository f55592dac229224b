import { findDatabaseKinds } from './databases.js';
import { describeVaultCrashes } from './vault-races.js';

/** `npm run test:drills` kills more often, and with each library. */
describeVaultCrashes(await findDatabaseKinds(), 2);
