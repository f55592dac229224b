import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root, run, workspace } from './applications.js';

describe('the packed command nest-oauth2-migrate', () => {
  let host: string;
  const migrate = (...args: string[]) => run(host, join(host, 'node_modules/.bin/nest-oauth2-migrate'), ...args);

  beforeAll(async () => {
    const tarball = await run(root, 'npm', 'pack', '--silent', '--pack-destination', workspace, './packages/migrate');
    host = await mkdtemp(join(workspace, 'migrate-'));
    await writeFile(join(host, 'package.json'), JSON.stringify({ name: 'host', private: true }));
    await run(host, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', join(workspace, tarball.trim()));
    await cp(join(root, 'test/migrate/fixtures/commonjs/before'), join(host, 'application'), { recursive: true });
  });

  it('prints a diff with --dry-run, then rewrites the application', async () => {
    await expect(migrate('application', '--dry-run')).resolves.toContain('+const');
    expect(JSON.parse(await migrate('application', '--json'))).toMatchObject({
      changed: expect.arrayContaining(['server.js']),
    });
    await expect(migrate('application')).resolves.toContain('Nothing to change.');
  });

  it('prints its version and its options, and rejects a wrong command line', async () => {
    await expect(migrate('--version')).resolves.toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(migrate('--help')).resolves.toContain('--dry-run');
    await expect(migrate('one', 'two')).rejects.toThrow('Unexpected argument "two".');
    await expect(migrate('--wet-run')).rejects.toThrow("Unknown option '--wet-run'");
    await expect(migrate('nowhere')).rejects.toThrow('There is no folder nowhere');
  });
});
