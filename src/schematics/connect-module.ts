import { posix } from 'node:path';
import type { Application } from './application.js';
import type { Choices } from './choices.js';
import { importModule } from './root-module.js';
import { readText, type SchematicContext, type Tree, writeText } from './tree.js';

const MODULE = 'OAuthModule';

/** Imports the written module in `app.module.ts`. */
export function connectModule(
  tree: Tree,
  { sourceRoot, isEsm }: Application,
  { path }: Choices,
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
}
