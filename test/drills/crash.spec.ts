import { describeCrashes } from '../processes/crashes.js';
import { KILLS } from './kills.js';

describeCrashes(KILLS);
