import { findDatabaseKinds } from './databases.js';
import { describeVaultCrashes } from './vault-races.js';

/** `npm run test:drills` kills more often. */
describeVaultCrashes(await findDatabaseKinds(), 2);
