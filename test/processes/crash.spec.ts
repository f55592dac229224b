import { describeCrashes } from './crashes.js';

/** The project of `npm run test:slow` sets this variable. `npm run test:drills` kills more often. */
const isSlow = process.env['TEST_LIBRARIES'] !== undefined;

describeCrashes(2, isSlow ? undefined : ['Redis', 'PostgreSQL, Drizzle']);
