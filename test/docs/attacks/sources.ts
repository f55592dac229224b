import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { readPages } from '../../../docs/.vitepress/site/pages.js';
import { add } from '../../../src/schematics/index.js';
import { STORES } from '../../../src/schematics/stores.js';
import { StagedApplication } from '../../src/schematics/staged-application.js';
import { blocksOf } from '../../support/clients/page-code.js';
import { read } from './guide-code.js';

/** Code that readers copy: the blocks of a page, a file of a sample, or a file that `nest add` writes. */
export interface Source {
  /** The page, or the file. */
  name: string;
  code: string;
}

const root = join(import.meta.dirname, '../../..');

/** The blocks of all pages. */
const pages = (): Source[] =>
  ['README.md', ...readPages().map(({ path }) => `docs/${path}`)].flatMap((name) =>
    blocksOf(name, read(name)).map(({ code }) => ({ name, code })),
  );

/** The files of all samples. */
const samples = (): Source[] =>
  readdirSync(join(root, 'sample')).flatMap((sample) => {
    if (!/^\d/.test(sample)) return [];
    const files = readdirSync(join(root, 'sample', sample, 'src'), { recursive: true, encoding: 'utf8' });
    const names = files.filter((file) => file.endsWith('.ts')).map((file) => `sample/${sample}/src/${file}`);
    return names.map((name) => ({ name, code: read(name) }));
  });

/** The files that `nest add` writes, with each store and all features. */
async function templates(): Promise<Source[]> {
  const written = await Promise.all(
    STORES.map(async (store) => {
      const options = store === 'none' ? { api: true } : { store, features: 'pages,openid,mcp' };
      const files = (await new StagedApplication().run(add(options))).files();
      return Object.entries(files)
        .filter(([path]) => path.startsWith('src/oauth/'))
        .map(([path, code]) => ({ name: `nest add, ${store}: ${path}`, code }));
    }),
  );
  return written.flat();
}

/** Returns all code that readers copy. */
export const findSources = async (): Promise<Source[]> => [...pages(), ...samples(), ...(await templates())];

const HANDLER = /@(?:Post|Put|Patch|Delete|All)\(/;
const OAUTH_GUARD = /@UseGuards\(\w*(?:OAuth|Permissions)\w*Guard\b/;

/** Returns the groups of decorators in adjacent lines. */
const decoratorsOf = (code: string, indent: string): string[] =>
  code.match(new RegExp(`(?:^${indent}@.*\\n)+`, 'gm')) ?? [];

/**
 * Whether code has a route that changes something and needs no access token, so that any page may make a browser call
 * it. A guard of the class protects all routes of the class.
 */
export function hasOpenHandler({ code }: Source): boolean {
  const controllers = code.split(/(?=^(?:@.*\n)*@Controller\()/m);
  return controllers.some((controller) => {
    const [ofClass = ''] = decoratorsOf(controller, '');
    const ofMethods = decoratorsOf(controller, ' +');
    return !OAUTH_GUARD.test(ofClass) && ofMethods.some((group) => HANDLER.test(group) && !OAUTH_GUARD.test(group));
  });
}

/** Whether code has a map or set to which it adds and from which it never deletes. */
export const hasGrowingMap = ({ code }: Source): boolean =>
  /\bnew (?:Map|Set)\b/.test(code) && /\.(?:set|add)\(/.test(code) && !/\.(?:delete|clear)\(/.test(code);
