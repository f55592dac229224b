import { posix } from 'node:path';
import { readApplication } from './application.js';
import { renderFolder } from './template.js';
import type { Rule } from './tree.js';
import { createFiles, planFiles } from './write-files.js';

/** The options of `nest generate -c nest-oauth2`, as the Nest CLI passes them. */
export interface GenerateOptions {
  name: string;
  path?: string;
  sourceRoot?: string;
  flat?: boolean;
  spec?: boolean;
  specFileSuffix?: string;
}

type Kind = 'feature' | 'storage' | 'grant';

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the name in kebab case. A name such as `admin/audit` also has a folder. */
function readName(name: string): { folder: string; base: string } {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2').replaceAll(/[\s_.]+/g, '-');
  const path = words.toLowerCase();
  if (!/^(?:[a-z\d][a-z\d-]*\/)*[a-z][a-z\d]*(?:-[a-z\d]+)*$/.test(path)) {
    throw new Error(`The name must consist of letters, digits and hyphens, and begin with a letter. Got "${name}".`);
  }
  return { folder: posix.dirname(path), base: posix.basename(path) };
}

/** Writes a class or factory with its test. */
const generate =
  (kind: Kind) =>
  (options: GenerateOptions): Rule =>
  async (tree, { logger }) => {
    const { isEsm, sourceRoot, has } = readApplication(tree, options.sourceRoot);
    const { folder, base } = readName(options.name);
    const parts = base.split('-');
    const key = parts.map((part, at) => (at === 0 ? part : capitalized(part))).join('');
    const isFastify = has('@nestjs/platform-fastify') && !has('@nestjs/platform-express');
    const values = {
      name: base,
      Name: capitalized(key),
      key,
      KEY: parts.join('_').toUpperCase(),
      id: parts.join('_'),
      kind,
      Kind: capitalized(kind),
      endpoint: kind === 'grant' ? 'token' : base,
      js: isEsm ? '.js' : '',
      adapter: isFastify ? 'new FastifyAdapter()' : '',
      spec: options.specFileSuffix ?? 'spec',
    };
    const context = { flags: new Set([kind, ...(isFastify ? ['fastify'] : [])]), values };
    const folders = [kind, ...(kind === 'storage' ? [] : ['server-spec'])];
    const rendered = folders.flatMap((name) => Array.from(renderFolder(`generate/${name}`, context)));
    const target = posix.join(sourceRoot, options.path ?? '', folder, options.flat ? '' : base);
    const isWanted = ([path]: [string, string]) => options.spec !== false || path === `${base}.${kind}.ts`;
    const files = rendered.filter(isWanted).map(([path, text]) => [posix.join(target, path), text] as const);
    const plan = await planFiles(tree, new Map(files));
    if (plan.changed.length > 0) {
      logger.warn(`Nothing was written, because these files exist with another text:\n  ${plan.changed.join('\n  ')}`);
      return;
    }
    createFiles(tree, plan);
    logger.info(NEXT[kind](values));
  };

/** Returns how to use what was written. */
const NEXT: Record<Kind, (names: { key: string; Name: string; KEY: string }) => string> = {
  feature: ({ key }) => `Add ${key}Feature() to the features of OAuth2Module.forRoot().`,
  storage: ({ Name }) => `Pass the storage to the model: new OAuth2Store({ storage: new ${Name}Storage(), users }).`,
  grant: ({ key, KEY }) =>
    `Add ${key}Grant({ findUser }) to the features of OAuth2Module.forRoot(), and ${KEY}_GRANT to the grants of the ` +
    'clients that may use it.',
};

/** `nest generate -c nest-oauth2 feature`: writes a feature with an endpoint. */
export const feature = generate('feature');

/** `nest generate -c nest-oauth2 storage`: writes a storage in memory that fulfills the contract. */
export const storage = generate('storage');

/** `nest generate -c nest-oauth2 grant`: writes an extension grant. RFC 6749 §4.5 */
export const grant = generate('grant');
