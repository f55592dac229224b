import { spawnSync } from 'node:child_process';

import { describe, it } from '@jest/globals';

/** The commands that provide what tests need. */
export const START_SERVERS = 'docker compose up --wait';
export const INSTALL_PROGRAMS = '.ci/tools';

const reported = new Set<string>();

/**
 * Registers a skipped test for a server or program that is missing on this machine. `test/not-tested.js` lists these
 * tests at the end of the run.
 *
 * @param command Provides what is missing.
 */
export function reportMissing(name: string, command: string): void {
  if (reported.has(name)) return;
  reported.add(name);
  describe('not tested', () => {
    // oxlint-disable-next-line jest/no-disabled-tests, jest/expect-expect -- Only its title matters.
    it.skip(`needs ${name}: ${command}`, () => undefined);
  });
}

/**
 * Like `describe.each()`, for a list that is empty if a server or program is missing.
 *
 * @throws If the list is empty and `reportMissing()` was not called: otherwise these tests would vanish unnoticed.
 */
export const describeEach = ((cases: readonly object[]) => {
  if (cases.length > 0) return describe.each(cases as never);
  if (reported.size === 0) throw new Error('The list of cases is empty, although nothing is missing on this machine.');
  return () => undefined;
}) as typeof describe.each;

/** Returns whether a program is installed. If not, reports it as missing. */
export function hasProgram(program: string, name: string, args: readonly string[] = ['--version']): boolean {
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0) return true;
  reportMissing(name, INSTALL_PROGRAMS);
  return false;
}
