// Installs the packed package in new applications and tests them, on each combination of Nest, package manager, HTTP
// adapter, Node.js and test runner: npm run matrix -- nest=11-cjs node=20 pm=npm. `--brief` runs a small part, `--built`
// packs `dist` without a new build.
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { packTarball } from '../package/pack.js';
import { selectCells } from './cells.js';
import { makeApplication, runCell } from './installation.js';
import { formatTable } from './table.js';
import { installTools } from './tools.js';
import { runnerName } from './vitest-versions.js';

const start = Date.now();
const secondsSince = (time) => (Date.now() - time) / 1000;
const nameOf = (cell) => `Nest ${cell.nest}, ${cell.pm}, ${cell.http}, Node ${cell.node}, ${runnerName(cell)}`;

/** Runs all cells, two or more applications at a time. */
async function runMatrix(cells, { tarball }) {
  const workspace = dirname(tarball);
  const tools = await installTools(join(workspace, 'tools'), cells);
  console.log(`Packed the package and installed the tools: ${secondsSince(start).toFixed(1)} s`);
  const keyOf = ({ nest, pm }) => `${nest} ${pm}`;
  const applications = [...new Set(cells.map(keyOf))].map((key) => cells.filter((cell) => keyOf(cell) === key));
  const results = [];
  const work = async () => {
    for (let next = applications.shift(); next; next = applications.shift()) {
      results.push(...(await runApplication(next, { workspace, tarball, tools })));
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism() - 1) }, work));
  return results;
}

/** Installs an application and runs its cells. If the installation or the build fails, all of them fail. */
async function runApplication(cells, context) {
  const name = `Nest ${cells[0].nest}, ${cells[0].pm}`;
  const begin = Date.now();
  let folder;
  try {
    folder = await makeApplication({ ...context, cells });
    console.log(`${name}: installed and built, ${secondsSince(begin).toFixed(1)} s`);
  } catch (error) {
    console.log(`${name}: FAILED to install or build\n${error.message}`);
    return cells.map((cell) => ({ cell, error, seconds: 0 }));
  }
  const results = [];
  for (const cell of cells) results.push(await runAndReport(folder, cell, context));
  return results;
}

async function runAndReport(folder, cell, { tools }) {
  const begin = Date.now();
  const error = await runCell(folder, cell, tools).then(
    () => undefined,
    (failure) => failure,
  );
  const seconds = secondsSince(begin);
  console.log(`${nameOf(cell)}: ${error ? `FAILED\n${error.message}` : 'ok'}, ${seconds.toFixed(1)} s`);
  return { cell, error, seconds };
}

try {
  const parameters = process.argv.slice(2);
  const cells = selectCells(parameters.filter((one) => one !== '--built'));
  const tarball = packTarball(...(parameters.includes('--built') ? ['--ignore-scripts'] : []));
  const results = await runMatrix(cells, { tarball });
  const failed = results.filter(({ error }) => error);
  console.log(`\n${formatTable(results)}\n`);
  console.log(`${results.length - failed.length} of ${results.length} passed in ${secondsSince(start).toFixed(0)} s`);
  if (failed.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
