import { Session } from 'node:inspector';

// <time | look> <entry> [entries imported before]: the import of an entry in a fresh process.

const [mode, entry, ...already] = process.argv.slice(2);
for (const name of already) await import(name);
process.on('disconnect', () => process.exit());
process.send(mode === 'look' ? await look() : await time());

async function time() {
  const start = performance.now();
  await import(entry);
  return performance.now() - start;
}

/** What the import loads: files, the packages they belong to, and modules of Node. */
async function look() {
  const builtins = new Set(process.moduleLoadList);
  const files = new Set();
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url } }) => files.add(url));
  session.post('Debugger.enable');
  // Those that are loaded already are reported at once.
  const before = new Set(files);
  await import(entry);

  const loaded = [...files].filter((url) => !before.has(url) && /^(?:file:|\/)/.test(url));
  const packages = loaded.map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]).filter(Boolean);
  const ofNode = process.moduleLoadList.filter(
    (name) => !builtins.has(name) && /^NativeModule (?!internal)/.test(name),
  );
  return {
    files: loaded.length,
    packages: [...new Set(packages)],
    builtins: ofNode.map((name) => name.replace('NativeModule ', '')),
  };
}
