import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DRIVERS, TRANSPORTS } from './specification.js';

describe('the table of transports', () => {
  it('stands in the docs as it is tested', () => {
    const script = join(import.meta.dirname, '../../../.ci/table.js');
    expect(spawnSync(process.execPath, [script, 'transports', '--check'], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('is run by a driver for each row', () => {
    expect(TRANSPORTS.map(({ driver }) => driver).toSorted()).toEqual(Object.keys(DRIVERS).toSorted());
  });
});
