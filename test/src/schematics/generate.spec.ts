import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { feature, grant, storage } from '../../../src/schematics/index.js';
import { StagedApplication } from './staged-application.js';

const KINDS = { feature, storage, grant };
const ESM = { name: 'shop', type: 'module', dependencies: { '@nestjs/core': '^12.0.1' } };

/** Returns the paths and texts of the files that a schematic has added. */
async function generated(kind: keyof typeof KINDS, options: object, files: Record<string, object> = {}) {
  const application = new StagedApplication(files);
  const before = Object.keys(application.files());
  await application.run(KINDS[kind]({ name: 'audit-log', ...options }));
  const added = Object.entries(application.files()).filter(([path]) => !before.includes(path));
  return { application, files: Object.fromEntries(added), paths: added.map(([path]) => path).toSorted() };
}

describe.each(['feature', 'storage', 'grant'] as const)('nest generate -c nest-oauth2 %s', (kind) => {
  it('writes a file with a test, and nothing in a second run', async () => {
    const { application, files, paths } = await generated(kind, {});
    expect(paths).toEqual([`src/audit-log/audit-log.${kind}.spec.ts`, `src/audit-log/audit-log.${kind}.ts`]);
    for (const [path, text] of Object.entries(files)) {
      expect({ path, rest: /\{\{|\/\/#/.exec(text) }).toEqual({ path, rest: null });
    }
    expect(files[paths[1]!]).toMatch(/(?:class AuditLogStorage|const auditLog(?:Feature|Grant)) /);
    expect(files[paths[0]!]).toContain(`from './audit-log.${kind}'`);
    const before = application.files();
    await application.run(KINDS[kind]({ name: 'audit-log' }));
    expect(application.files()).toEqual(before);
  });

  it('reads the options of the Nest CLI', async () => {
    const { paths } = await generated(kind, { path: 'modules', sourceRoot: 'apps/shop/src', spec: false });
    expect(paths).toEqual([`apps/shop/src/modules/audit-log/audit-log.${kind}.ts`]);
    const { files } = await generated(
      kind,
      { name: 'admin/AuditLog', flat: true, specFileSuffix: 'test' },
      { 'package.json': ESM },
    );
    expect(files[`src/admin/audit-log.${kind}.test.ts`]).toContain(`from './audit-log.${kind}.js'`);
  });

  it('never replaces a file', async () => {
    const { application } = await generated(kind, {});
    application.write(`src/audit-log/audit-log.${kind}.ts`, '// mine');
    const before = application.files();
    await application.run(KINDS[kind]({ name: 'audit-log' }));
    expect(application.files()).toEqual(before);
    expect(application.messages.at(-1)).toContain(`\n  src/audit-log/audit-log.${kind}.ts`);
  });

  it.each(['../audit', '1st', 'a//b', '', '💥'])('rejects the name %j', async (name) => {
    await expect(generated(kind, { name })).rejects.toThrow('The name must consist of letters, digits and hyphens');
  });
});

describe('nest generate -c nest-oauth2', () => {
  it('tests with the Fastify adapter if the application has no Express', async () => {
    const manifest = { dependencies: { '@nestjs/core': '^11.0.1', '@nestjs/platform-fastify': '^11.0.1' } };
    const { files } = await generated('grant', {}, { 'package.json': manifest });
    expect(files['src/audit-log/audit-log.grant.spec.ts']).toContain('createNestApplication(new FastifyAdapter())');
  });

  it('ships at most 14 kB of templates', () => {
    const folder = join(import.meta.dirname, '../../../schematics/templates/generate');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.txt'));
    const sizes = files.map((name) => readFileSync(join(folder, name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(14_336);
  });
});
