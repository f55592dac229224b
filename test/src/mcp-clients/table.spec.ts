import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CLIENT_ROWS } from './client-rows.js';

describe('the table of MCP clients', () => {
  it('is the same in docs/guides/mcp-clients.md as in the tests', () => {
    const script = join(import.meta.dirname, '../../../.ci/table.js');
    const { status, stderr } = spawnSync(process.execPath, [script, 'mcp-clients', '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('has a date and a source for each client, and one way in which it identifies itself', () => {
    for (const { client, found, source, document, registration } of CLIENT_ROWS) {
      expect([client, found]).toEqual([client, expect.stringMatching(/^2026-\d\d(-\d\d)?$/)]);
      expect(source).not.toBe('');
      expect([client, document === undefined]).toEqual([client, registration !== undefined]);
    }
  });
});
