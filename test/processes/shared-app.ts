import { afterAll, beforeAll } from '@jest/globals';

import { BuiltApp } from './app-process.js';

/** The application of all tests of a spec file, which is built once. */
export const app = new BuiltApp();
beforeAll(() => app.build(), 60_000);
afterAll(() => app.remove());
