import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AddOptions } from '../../../src/schematics/choices.js';
import { add } from '../../../src/schematics/index.js';
import { parseYamlDocuments } from '../../support/project-files/project-file-parsers.js';
import { PRISMA } from './existing-applications.js';
import { StagedApplication } from './staged-application.js';

const root = join(import.meta.dirname, '../../..');
const MANIFEST = { name: 'authorization-server', dependencies: { '@nestjs/core': '^12.0.1' } };

/** Returns the files that `--deploy` writes. */
async function deployed(options: AddOptions, files: Record<string, string | object> = { 'package.json': MANIFEST }) {
  const application = await new StagedApplication(files).run(add({ ...options, deploy: true }));
  const written = Object.entries(application.files()).filter(([path]) => path.startsWith('deploy/'));
  return new Map(written);
}

const FILES = [
  'deploy/Dockerfile',
  'deploy/compose.yaml',
  'deploy/kubernetes/deployment.yaml',
  'deploy/kubernetes/migrate.yaml',
];

describe('nest add nest-oauth2 --deploy', () => {
  it('writes the files of deploy/ for TypeORM with PostgreSQL', async () => {
    const files = await deployed({ store: 'typeorm/postgres', features: 'openid' });
    expect([...files.keys()].toSorted()).toEqual(FILES);
    for (const [path, text] of files) {
      if (process.env['WRITE_DEPLOY']) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      expect(text).toBe(readFileSync(join(root, path), 'utf8'));
    }
  });

  it.each<[AddOptions, string | undefined]>([
    [{ store: 'typeorm/mariadb' }, 'node_modules/.bin/typeorm migration:run -d dist/oauth/data-source.js'],
    [{ store: 'drizzle/postgres' }, 'node_modules/.bin/drizzle-kit migrate --config drizzle.oauth.config.mjs'],
    [{ store: 'prisma/postgres' }, 'node dist/oauth/migrate.js'],
    [{ store: 'prisma/mysql', path: 'sso' }, 'node dist/sso/migrate.js'],
    [{ store: 'redis' }, undefined],
    [{ store: 'mongoose' }, undefined],
    [{ api: true }, undefined],
  ])('starts the migration of the layout that it wrote, with %j', async (options, command) => {
    const files = await deployed(options);
    const [compose] = parseYamlDocuments(files.get('deploy/compose.yaml')!) as [
      {
        services: Record<
          string,
          { command?: string[]; depends_on?: Record<string, unknown>; build: { target?: string } }
        >;
      },
    ];
    const { server, migrate } = compose.services;
    expect(migrate?.command?.join(' ')).toBe(command);
    expect(Object.keys(server!.depends_on ?? {})).toEqual(command ? ['migrate'] : []);
    expect(files.get('deploy/kubernetes/migrate.yaml')?.includes(`'${command?.split(' ').at(-1)}'`)).toBe(
      command && true,
    );
    // drizzle-kit is a development package.
    expect(migrate?.build.target).toBe(options.store?.startsWith('drizzle') ? 'build' : undefined);
    for (const [path, text] of files) {
      expect(text).not.toMatch(/\{\{|#(?:if|else|end)\b/);
      expect(path.endsWith('.yaml') ? parseYamlDocuments(text) : [path]).not.toEqual([]);
    }
  });

  it('follows the start file, the port, the prefix and the migrations of an existing application', async () => {
    const manifest = { ...PRISMA['package.json'], scripts: { 'start:prod': 'node dist/src/main' } };
    const files = await deployed({ existing: true }, { ...PRISMA, 'package.json': manifest, 'pnpm-lock.yaml': '' });
    const dockerfile = files.get('deploy/Dockerfile')!;
    expect(dockerfile).toContain('CMD ["node", "dist/src/main.js"]');
    expect(dockerfile).toContain('EXPOSE 4000');
    expect(dockerfile).toContain('pnpm install --frozen-lockfile');
    expect(files.get('deploy/compose.yaml')).toContain('http://127.0.0.1:4000/api/health/ready');
    expect(files.get('deploy/compose.yaml')).toContain("command: ['node_modules/.bin/prisma', 'migrate', 'deploy']");
    expect(files.get('deploy/kubernetes/deployment.yaml')).toContain('path: /api/health/live');
  });

  it.each<[AddOptions, string]>([
    [{ store: 'memory' }, 'which cannot share memory'],
    [{ store: 'prisma/sqlite' }, 'which cannot share an SQLite file'],
  ])('rejects %j, because several processes cannot share the store', async (options, message) => {
    await expect(deployed(options)).rejects.toThrow(message);
  });
});
