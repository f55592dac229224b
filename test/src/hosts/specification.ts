import { readFileSync } from 'node:fs';
import type { Platform } from '../../support/servers/test-application.js';
import type { Observed } from './exercise-application.js';

/** One application and the responses observed, which are the same on all platforms. */
export interface Row extends Observed {
  host: string;
  driver: string;
  /** The platform to which this row is limited. If omitted, the row applies to all platforms. */
  only?: Platform;
}

/** The table of applications: the tests run it, and docs/reference/hosts.md contains it. */
export const HOST_ROWS = JSON.parse(
  readFileSync(new URL('specification.json', import.meta.url), 'utf8'),
) as readonly Row[];
