// Lets plain Node.js run the sources: TypeScript through SWC, the package under its public names, without Nest.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from '@swc/core';

if (isMainThread) register(import.meta.url);

const PUBLIC = { 'nest-oauth2/testing': '../../../src/testing/index.ts' };

export async function resolve(specifier, context, next) {
  if (specifier.startsWith('@nestjs/')) throw new Error(`the kit loads ${specifier}`);
  if (PUBLIC[specifier]) return next(new URL(PUBLIC[specifier], import.meta.url).href, context);
  const source = specifier.startsWith('.') ? new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL) : undefined;
  return source && existsSync(source) ? next(source.href, context) : next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  return { format: 'module', shortCircuit: true, source: code };
}
