import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../results/', import.meta.url);
const built = new URL('../node_modules/nest-oauth2/dist/esm/shared/', import.meta.url);

/** Returns a name for the measured code. Only runs of the same code are shown together. */
export function buildMeasured() {
  const files = readdirSync(built).filter((name) => name.endsWith('.js'));
  const hash = createHash('sha256');
  for (const name of files.toSorted()) hash.update(readFileSync(new URL(name, built)));
  return hash.digest('hex').slice(0, 12);
}

/** Saves the results of a run in a file that is named after its end time. */
export function keepRun(results) {
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(':', '-')}.json`;
  writeFileSync(new URL(name, folder), JSON.stringify(results, null, 2));
}

/** Returns the latest complete runs of the same code on the same machine, newest first. */
export function latestRunsLike(run, count) {
  const alike = ({ machine, build, wanted, brief }) => JSON.stringify({ machine, build, wanted, brief });
  return readdirSync(folder)
    .toSorted()
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    .filter((other) => alike(other) === alike(run))
    .slice(-count);
}
