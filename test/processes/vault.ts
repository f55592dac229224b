import { findDatabaseKinds } from './databases.js';
import { describeRefreshes, describeVaultCrashes } from './vault-races.js';

/** The project of `npm run test:slow` sets this variable. `npm run test:drills` kills more often. */
const isSlow = process.env['TEST_LIBRARIES'] !== undefined;

describeRefreshes(await findDatabaseKinds());
if (isSlow) describeVaultCrashes(await findDatabaseKinds('all'), 2);
