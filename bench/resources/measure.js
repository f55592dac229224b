import { startChild } from '../children.js';
import { summary } from '../statistics.js';

/** Measures the memory store with a hundred to a million clients and valid tokens. */
export async function measureScaling({ brief }) {
  const sizes = brief ? [100, 1000] : [100, 1000, 10_000, 100_000, 1_000_000];
  const rows = [];
  for (const size of sizes) rows.push({ size, ...(await once('store-at-size.js', size, brief ? 50 : 10_000)) });
  return rows;
}

/** Measures the heap over a million requests, including rejected ones. */
export function measureLeaks({ brief }) {
  return once('leak.js', brief ? 1000 : 1_000_000);
}

/** Measures imports in new processes. */
export async function measureStartUp({ brief }) {
  const nest = ['reflect-metadata', '@nestjs/common', '@nestjs/core'];
  const imports = {
    'an empty file': ['./empty.js'],
    'nest-oauth2/server': ['nest-oauth2/server'],
    'nest-oauth2/stores/memory': ['nest-oauth2/stores/memory'],
    'nest-oauth2, after Nest': ['nest-oauth2', ...nest],
    '@node-oauth/oauth2-server': ['@node-oauth/oauth2-server'],
    '@jmondi/oauth2-server': ['@jmondi/oauth2-server'],
    'oauth2-server': ['oauth2-server'],
  };
  const rows = [];
  for (const [title, entries] of Object.entries(imports)) {
    rows.push({ title, entries, samples: [], ...(await once('imports.js', 'look', ...entries)) });
  }
  for (let round = 0; round < (brief ? 1 : 15); round++) {
    for (const { entries, samples } of rows) samples.push(await once('imports.js', 'time', ...entries));
  }
  return rows.map(({ samples, ...row }) => ({ ...row, milliseconds: summary(samples) }));
}

async function once(module, ...args) {
  const child = await startChild(`resources/${module}`, ...args.map(String));
  child.stop();
  process.stderr.write('.');
  return child.greeting;
}
