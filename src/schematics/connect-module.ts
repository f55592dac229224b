import { posix } from 'node:path';
import type { Application } from './application.js';
import type { Choices } from './choices.js';
import { addImport, importModule } from './root-module.js';
import { readText, type SchematicContext, type Tree, writeText } from './tree.js';

const MODULE = 'OAuthModule';

/** Imports the written module in `app.module.ts`, and selects the HTTP adapter in `main.ts`. */
export function connectModule(
  tree: Tree,
  { sourceRoot, isEsm }: Application,
  { path, http }: Choices,
  logger: SchematicContext['logger'],
): void {
  const root = posix.join(sourceRoot, 'app.module.ts');
  const specifier = `./${path}/oauth.module${isEsm ? '.js' : ''}`;
  const text = readText(tree, root);
  if (text !== undefined && new RegExp(`\\b${MODULE}\\b`).test(text)) {
    if (!text.includes(`'${specifier}'`) && !text.includes(`"${specifier}"`)) {
      logger.warn(
        `${root} was not changed, because it already contains the name ${MODULE}. To use the new files, import ` +
          `${MODULE} from "${specifier}" there.`,
      );
    }
  } else {
    const edited = text === undefined ? undefined : importModule(text, MODULE, specifier);
    if (edited === undefined) {
      logger.warn(
        `${root} was not changed, because it has no @Module() with a list of imports. Add ${MODULE} of ` +
          `"${specifier}" to the imports of your root module.`,
      );
    } else {
      writeText(tree, root, edited);
    }
  }
  if (http === 'fastify') useFastify(tree, posix.join(sourceRoot, 'main.ts'), logger);
}

/** Passes the Fastify adapter to `NestFactory.create()`, unless `main.ts` already does. */
function useFastify(tree: Tree, main: string, logger: SchematicContext['logger']): void {
  const text = readText(tree, main);
  if (text?.includes('FastifyAdapter')) return;
  const call = /NestFactory\.create\((\w+)\)/g;
  if (text === undefined || [...text.matchAll(call)].length !== 1) {
    logger.warn(
      `${main} was not changed, because it has no call NestFactory.create(AppModule). Pass new FastifyAdapter() of ` +
        '@nestjs/platform-fastify as its second argument.',
    );
    return;
  }
  const edited = text.replace(
    call,
    'NestFactory.create<NestFastifyApplication>(\n    $1,\n    new FastifyAdapter(),\n  )',
  );
  const names = "import {\n  FastifyAdapter,\n  type NestFastifyApplication,\n} from '@nestjs/platform-fastify';";
  writeText(tree, main, addImport(edited, names));
}
