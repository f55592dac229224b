import { describeCrashes } from './crashes.js';

/** `npm run test:drills` kills more often. */
describeCrashes(2);
