import { describeCrashes } from './crashes.js';
import { findDatabaseKinds } from './databases.js';

/** `npm run test:drills` kills more often, and with each library. */
describeCrashes(await findDatabaseKinds(), 2);
