import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { writeDocs } from './report/docs.js';
import { buildMeasured, keepRun, latestRunsLike } from './report/runs.js';
import { setUp } from './setup.js';

// npm run bench [-- --only=authenticate,http] [--brief] [--docs]

const inProcess = ['authenticate', 'token', 'authorize'];
const others = ['http', 'scaling', 'leak', 'startup'];
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
  throw new Error(`--only knows ${[...inProcess, ...others].join(', ')}; not ${unknown.join(', ')}`);

if (values.docs && (values.brief || ![...inProcess, ...others].every((name) => wanted.includes(name)))) {
  throw new Error('--docs takes a whole run: neither --brief nor --only');
}

setUp();
// Not before everything is installed: these import what is measured.
const { measureInProcess } = await import('./in-process.js');
const { measureHttp } = await import('./http/measure.js');
const { measureLeaks, measureScaling, measureStartUp } = await import('./resources/measure.js');
const { printResults } = await import('./report/text.js');

const { brief } = values;
const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
const results = { machine, build: buildMeasured(), wanted, brief };
const prefixes = wanted.filter((name) => !others.includes(name));
if (prefixes.length > 0) results.inProcess = await measureInProcess({ prefixes, brief });
if (wanted.includes('http')) results.http = await measureHttp({ brief });
if (wanted.includes('scaling')) results.scaling = await measureScaling({ brief });
if (wanted.includes('leak')) results.leak = await measureLeaks({ brief });
if (wanted.includes('startup')) results.startup = await measureStartUp({ brief });

printResults(results);
keepRun(results);
if (values.docs) writeDocs(latestRunsLike(results, 3));
