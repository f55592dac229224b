import { findDatabaseKinds } from './databases.js';
import { describeRefreshes } from './vault-races.js';

describeRefreshes(await findDatabaseKinds());
