import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Packs the package and returns the path of the tarball. Test applications are created next to the tarball and removed
 * with it when the process ends.
 * @param options options of `npm pack`. `--ignore-scripts` packs `dist` as it is.
 */
export function packTarball(...options) {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const root = join(import.meta.dirname, '../..');
  execFileSync('npm', ['pack', '--silent', ...options, '--pack-destination', folder], { cwd: root });
  return join(folder, readdirSync(folder)[0]);
}

/** Packs the package once for all of these tests. */
export default function pack() {
  process.env.NEST_OAUTH2_TARBALL ??= packTarball();
}
