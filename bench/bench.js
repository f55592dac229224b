import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { writeCapacity, writeDocs, writeSection } from './report/docs.js';
import { buildMeasured, keepRun, latestRunsLike } from './report/runs.js';
import { setUp } from './setup.js';

// npm run bench [-- --only=authenticate,http] [--brief] [--docs]

const inProcess = ['authenticate', 'token', 'authorize'];
const others = ['http', 'jose', 'scaling', 'leak', 'startup', 'stores', 'postgres', 'batching', 'capacity'];
const ofStores = ['stores', 'postgres'];
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: [...inProcess, ...others].join() },
    brief: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
});
const wanted = values.only.split(',');
const unknown = wanted.filter((name) => ![...inProcess, ...others].some((known) => name.startsWith(known)));
if (unknown.length > 0)
  throw new Error(`--only accepts ${[...inProcess, ...others].join(', ')}. Got ${unknown.join(', ')}.`);

const isWhole = [...inProcess, ...others].every((name) => wanted.includes(name));
const isOfKeys = wanted.join() === 'jose';
const isOfBatching = wanted.join() === 'batching';
const isOfCapacity = wanted.join() === 'capacity';
const isOfStores = wanted.length === ofStores.length && ofStores.every((name) => wanted.includes(name));
if (values.docs && (values.brief || !(isWhole || isOfStores || isOfKeys || isOfBatching || isOfCapacity))) {
  throw new Error(
    `--docs requires a complete run, --only=${ofStores.join()}, --only=jose, --only=batching or --only=capacity. It cannot be combined with --brief.`,
  );
}

setUp();
// These modules import the measured packages, so that they are loaded after the installation.
const { measureInProcess } = await import('./in-process.js');
const { measureHttp } = await import('./http/measure.js');
const { measureJose } = await import('./jose/measure.js');
const { measureLeaks, measureScaling, measureStartUp } = await import('./resources/measure.js');
const { measureStores } = await import('./stores/measure.js');
const { measureBatching, measurePostgres } = await import('./postgres/measure.js');
const { measureCapacity } = await import('./capacity/measure.js');
const { printResults } = await import('./report/text.js');

const { brief } = values;
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
const results = { machine, build: buildMeasured(), wanted, brief };
const load = [loadavg()[0]];
const prefixes = wanted.filter((name) => !others.includes(name));
if (prefixes.length > 0) results.inProcess = await measureInProcess({ prefixes, brief });
if (wanted.includes('http')) results.http = await measureHttp({ brief });
if (wanted.includes('jose')) results.jose = await measureJose({ brief });
if (wanted.includes('scaling')) results.scaling = await measureScaling({ brief });
if (wanted.includes('leak')) results.leak = await measureLeaks({ brief });
if (wanted.includes('startup')) results.startup = await measureStartUp({ brief });
if (wanted.includes('stores')) results.stores = await measureStores({ brief });
if (wanted.includes('postgres')) results.postgres = await measurePostgres({ brief });
if (wanted.includes('batching')) results.batching = await measureBatching({ brief });
if (wanted.includes('capacity')) results.capacity = await measureCapacity({ brief });
results.load = [...load, loadavg()[0]];

printResults(results);
keepRun(results);
if (values.docs && isWhole) writeDocs(latestRunsLike(results, 3));
else if (values.docs && !isOfCapacity) writeSection(isOfStores ? 'stores' : isOfKeys ? 'keys' : 'batching', results);
if (values.docs && results.capacity) await writeCapacity(results);
