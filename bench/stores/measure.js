import { startChild } from '../children.js';
import { kinds } from './kinds.js';

const parts = ['secrets', 'guesses', 'driver', 'statements'];

/** Measures each available store in its own process. The compared variants alternate. */
export async function measureStores({ brief }) {
  const names = Object.keys(kinds);
  const measured = brief ? await Promise.all(names.map((kind) => measureStore(kind, brief))) : [];
  if (!brief) for (const kind of names) measured.push(await measureStore(kind, brief));
  process.stderr.write('\n');
  return Object.fromEntries(names.map((kind, index) => [kind, measured[index]]).filter(([, store]) => store));
}

async function measureStore(kind, brief) {
  const child = await startChild('stores/worker.js', kind);
  const { absent, title } = child.greeting;
  const store = absent ? undefined : { title };
  if (absent) console.log(`\nThe store ${kind}: skipped, ${absent}`);
  else {
    for (const part of parts) {
      store[part] = (await child.ask({ part, brief })).result;
      process.stderr.write('.');
    }
    await child.ask({ part: 'close' });
  }
  child.stop();
  return store;
}
