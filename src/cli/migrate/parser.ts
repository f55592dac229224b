import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';

import type * as Babel from '@babel/parser';
import type { File } from '@babel/types';
import { CommandError } from '../command.js';

/** Parses a source file. The name determines the language. */
export type Parse = (text: string, file: string) => File;

const PARSER = '@babel/parser';

/**
 * Loads `@babel/parser` from the application.
 * @param places the files from which it is resolved, in this order. Default: this package, then the application.
 * @throws {CommandError} If it is not installed.
 */
export function loadParser(root: string, places = [import.meta.url, join(root, 'package.json')]): Parse {
  const babel = places.map(loadFrom).find((loaded) => loaded !== undefined);
  if (!babel)
    throw new CommandError(
      `\`migrate\` requires ${PARSER}, which is not installed. Run \`${installCommand(root)}\`, or run the command ` +
        `without changing the application: \`npx -p nest-oauth2 -p ${PARSER}@7 nest-oauth2 migrate\`.`,
    );
  return (text, file) => babel.parse(text, optionsFor(text, file));
}

/** Loads the parser by `createRequire()`, so that the bundler does not include the package. */
function loadFrom(place: string): typeof Babel | undefined {
  try {
    return createRequire(place)(PARSER) as typeof Babel;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw new CommandError(`Cannot load ${PARSER}: ${(error as Error).message}`);
  }
}

function installCommand(root: string): string {
  if (existsSync(join(root, 'pnpm-lock.yaml'))) return `pnpm add -D ${PARSER}@7`;
  if (existsSync(join(root, 'yarn.lock'))) return `yarn add -D ${PARSER}@7`;
  return `npm i -D ${PARSER}@7`;
}

function optionsFor(text: string, file: string): Babel.ParserOptions {
  const extension = extname(file);
  const isTypeScript = /^\.[cm]?tsx?$/.test(extension);
  const language: Babel.ParserPlugin[] = isTypeScript
    ? [['typescript', { dts: /\.d\.[cm]?ts$/.test(file) }]]
    : /@flow\b/.test(text)
      ? ['flow']
      : [];
  const jsx: Babel.ParserPlugin[] = /^\.([cm]?js|jsx|tsx)$/.test(extension) ? ['jsx'] : [];
  return {
    sourceType: 'unambiguous',
    attachComment: false,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowNewTargetOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
    plugins: [...language, ...jsx, 'decorators-legacy', 'decoratorAutoAccessors'],
  };
}
