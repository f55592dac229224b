import { describeCrashes } from '../processes/crashes.js';
import { findDatabaseKinds } from '../processes/databases.js';
import { findDatabasesOfLibraries } from '../stores/typeorm-databases.js';
import { KILLS } from './kills.js';

describeCrashes(await findDatabaseKinds(findDatabasesOfLibraries), KILLS);
