import { extname } from 'node:path';

import { parse, type ParserOptions, type ParserPlugin } from '@babel/parser';
import type { File } from '@babel/types';

/** Parses a source file. The name determines the language. */
export const parseSource = (text: string, file: string): File => parse(text, optionsFor(text, file));

function optionsFor(text: string, file: string): ParserOptions {
  const extension = extname(file);
  const isTypeScript = /^\.[cm]?tsx?$/.test(extension);
  const language: ParserPlugin[] = isTypeScript
    ? [['typescript', { dts: /\.d\.[cm]?ts$/.test(file) }]]
    : /@flow\b/.test(text)
      ? ['flow']
      : [];
  const jsx: ParserPlugin[] = /^\.([cm]?js|jsx|tsx)$/.test(extension) ? ['jsx'] : [];
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
