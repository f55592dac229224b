import { describeCrashes } from '../processes/crashes.js';

describeCrashes(50);
