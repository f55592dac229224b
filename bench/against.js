// Compares the engine with the engine of another commit, and with the floor: `node bench/against.js HEAD~20`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations } from './operations.js';

const ROUNDS = 3;
const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();

against(process.argv[2] ?? 'HEAD~1');

/** Measures both builds and the floor alternately in one process and prints the comparison. */
function against(ref) {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-against-'));
  const before = join(folder, 'before');
  try {
    git('worktree', 'add', '--detach', before, ref);
    symlinkSync(join(root, 'node_modules'), join(before, 'node_modules'));
    for (const place of [root, before]) {
      execFileSync(process.execPath, [join(root, 'node_modules/rolldown/bin/cli.mjs'), '-c'], { cwd: place });
    }
    const rows = Object.keys(operations).map((id) => measured(id, 'server', [before, root]));
    rows.push(measured('authorize-code', 'call', [before, root]));
    print(rows, git('rev-parse', '--short', ref));
  } finally {
    git('worktree', 'remove', '--force', before);
    rmSync(folder, { recursive: true });
  }
}

/**
 * Measures one operation. `place` is `call` if each call has the options of `authorize()`, and `server` otherwise.
 *
 * Returns the minimum of each build, and of the floor, over several processes, because other programs on the machine can only make it
 * slower.
 */
function measured(id, place, places) {
  const worker = fileURLToPath(new URL('against-worker.js', import.meta.url));
  const files = places.map((folder) => join(folder, 'dist/esm/server.js'));
  const least = [Infinity, Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    const found = JSON.parse(
      execFileSync(process.execPath, ['--expose-gc', worker, id, place, ...files], { encoding: 'utf8' }),
    );
    for (const [index, micros] of found.entries()) least[index] = Math.min(least[index], micros);
  }
  const { title } = operations[id];
  return { title: place === 'call' ? `${title}, options in each call` : title, least };
}

function print(rows, ref) {
  console.log(`CPU microseconds of one call, minimum of ${ROUNDS} processes\n`);
  console.log(`| operation | ${ref} | now | floor | now / ${ref} | now / floor |`);
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const { title, least } of rows) {
    const [before, now, floor] = least;
    const figures = [
      before.toFixed(2),
      now.toFixed(2),
      floor.toFixed(2),
      (now / before).toFixed(3),
      (now / floor).toFixed(2),
    ];
    console.log(`| ${title} | ${figures.join(' | ')} |`);
  }
}
