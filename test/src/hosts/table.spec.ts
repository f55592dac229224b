import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HOSTS } from './hosts.js';
import { HOST_ROWS } from './specification.js';

describe('the table of applications', () => {
  it('is the same in docs/reference/hosts.md as in the tests', () => {
    const script = join(import.meta.dirname, '../../../.ci/table.js');
    expect(spawnSync(process.execPath, [script, 'hosts', '--check'], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('has one application for each row', () => {
    expect(HOST_ROWS.map(({ driver }) => driver).toSorted()).toEqual(Object.keys(HOSTS).toSorted());
  });
});
