import { describe, it } from '@jest/globals';

/** The options of a contract that runs with Jest and does not print its report. */
export const SILENT_RUN = { runner: { describe, it }, onReport: () => undefined };
