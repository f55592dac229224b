import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { DrizzleStore, oauthTables } from 'nest-oauth2/stores/drizzle';
import type { PrismaStore } from 'nest-oauth2/stores/prisma';
import type { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';

const root = join(import.meta.dirname, '../../..');

/** The exports of the package that depend on the schema. Both versions have them. */
export interface PackageVersion {
  DrizzleStore: typeof DrizzleStore;
  oauthTables: typeof oauthTables;
  PrismaStore: typeof PrismaStore;
  oauthEntities: typeof oauthEntities;
  oauthMigrations: typeof oauthMigrations;
  TypeOrmStore: typeof TypeOrmStore;
}

/** Builds a throw-away next version of the package, whose grants have one more column: `note`. */
export async function buildNextVersion(): Promise<{ next: PackageVersion; remove(): Promise<void> }> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'next-version-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs');
  const config = join(import.meta.dirname, 'rolldown.next.js');
  await promisify(execFile)(process.execPath, [rolldown, '-c', config, '--dir', folder]);
  const next = (await import(join(folder, 'next-entry.js'))) as PackageVersion;
  return { next, remove: () => rm(folder, { recursive: true, force: true }) };
}
