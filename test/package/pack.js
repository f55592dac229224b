import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Packs the package once for all of these tests. Test applications are created next to the tarball and removed with it.
 */
export default function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const root = join(import.meta.dirname, '../..');
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  process.env.NEST_OAUTH2_TARBALL = join(folder, readdirSync(folder)[0]);
}
