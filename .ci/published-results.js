// Writes the members of the conformance results that the command `prove` reads to the package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const recorded = JSON.parse(readFileSync(join(root, 'conformance/results.json'), 'utf8'));
const published = recorded.map(({ plan, platform, commit, results, unfinished }) => ({
  plan,
  platform,
  commit,
  results,
  unfinished,
}));
writeFileSync(join(root, 'dist/conformance.json'), JSON.stringify(published));
