import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { setUp } from './setup.js';

// npm run stores [-- --only=redis,postgres] [--brief]
// REDIS_URL, DATABASE_URL and MARIADB_URL say where the servers are; one that does not answer is left out.

const kinds = { memory: 'memory', redis: 'redis', sqlite: 'typeorm', postgres: 'typeorm', mariadb: 'typeorm' };
const { values } = parseArgs({
  options: { only: { type: 'string', default: Object.keys(kinds).join() }, brief: { type: 'boolean', default: false } },
});

setUp();
// Not before everything is installed: these import what is measured.
const { measureStore } = await import('./stores/measure.js');
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}; servers on the same machine\n`);
console.log('tokens per second                   at once      store      floor  store/floor');
for (const kind of values.only.split(',')) {
  const { open } = await import(`./stores/${kinds[kind]}.js`);
  let opened;
  try {
    opened = await open(kind);
  } catch (error) {
    console.log(`${kind}: left out, ${error.message || error.code}`);
    continue;
  }
  for (const { what, concurrency, store, floor, ratio } of await measureStore(opened, values)) {
    const name = `${opened.title}, ${what}`;
    const rates = [store, floor].map((rate) => Math.round(rate).toString().padStart(11)).join('');
    console.log(`${name.padEnd(36)}${String(concurrency).padStart(7)}${rates}${ratio.toFixed(2).padStart(13)}`);
  }
  await opened.close();
}
