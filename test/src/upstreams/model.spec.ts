import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { describeEach, hasProgram } from '../../support/environment/requirements.js';

const MODEL = fileURLToPath(new URL('../../../docs/decisions/models/upstream-token.pml', import.meta.url));
const hasPrograms = hasProgram('spin', 'Spin', ['-V']) && hasProgram('gcc', 'GCC');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-model-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Searches all interleavings of the model. Returns the assertion that fails first, if any, and the states found. */
function search(...definitions: string[]): { violated: string | undefined; states: number } {
  const run = (program: string, args: string[]) =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  run('spin', [...definitions.map((name) => `-D${name}`), '-a', MODEL]);
  run('gcc', ['-O2', '-w', '-DSAFETY', '-DHC4', '-o', 'pan', 'pan.c']);
  const output = run(join(folder, 'pan'), ['-m10000', '-w24']);
  const [, errors] = /errors: (\d+)/.exec(output)!;
  expect(output).not.toContain('max search depth too small');
  const violated = /pan:1: (.+?) \(at depth/.exec(output)?.[1];
  expect(errors).toBe(violated ? '1' : '0');
  return { violated, states: Number(/(\d+) states, stored/.exec(output)![1]) };
}

describeEach(hasPrograms ? [{}] : [])('the model of a vault whose processes refresh the same tokens', () => {
  it('has no interleaving that breaks a rule, also if a process is killed and a response is lost', () => {
    expect(search('KILLS=1', 'LOSSES=1', 'END=4')).toEqual({ violated: undefined, states: expect.any(Number) });
  });

  const FAULTS: Record<string, { violates: RegExp; with?: string[] }> = {
    FAULT_NO_OWNER: { violates: /received/ },
    FAULT_NOT_COMPARED: { violates: /received/ },
    FAULT_LEASE_NOT_CHECKED: { violates: /isCalling/ },
    FAULT_SHORT_LEASE: { violates: /isCalling/ },
    FAULT_DOUBT_FORGOTTEN: { violates: /received/, with: ['KILLS=1'] },
    FAULT_RESPONSE_GIVEN_UP: { violates: /row\.version/ },
  };

  it.each(Object.entries(FAULTS))('shows the fault %s', (fault, { violates, with: more = [] }) => {
    expect(search(fault, ...more).violated).toMatch(violates);
  });
});
