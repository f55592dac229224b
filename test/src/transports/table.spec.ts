import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DRIVERS, TRANSPORTS } from './specification.js';

describe('the table of transports', () => {
  it('is the same in docs/reference/transports.md as in the tests', () => {
    const script = join(import.meta.dirname, '../../../.ci/table.js');
    expect(spawnSync(process.execPath, [script, 'transports', '--check'], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('has one driver for each row', () => {
    expect(TRANSPORTS.map(({ driver }) => driver).toSorted()).toEqual(Object.keys(DRIVERS).toSorted());
  });
});
