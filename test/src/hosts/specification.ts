import { readFileSync } from 'node:fs';
import type { Platform } from '../../support/test-application.js';
import type { Observed } from './exercise-application.js';

/** One host, and what is observed of it, on both platforms alike. */
export interface Row extends Observed {
  host: string;
  driver: string;
  /** Where another platform has no such thing. */
  only?: Platform;
}

/** The one table of hosts: the tests run it, and docs/hosts.md shows it. */
export const HOST_ROWS = JSON.parse(
  readFileSync(new URL('specification.json', import.meta.url), 'utf8'),
) as readonly Row[];
