import { Session } from 'node:inspector';

// <time | look> <entry> [entries imported before]: measures the import of an entry in a new process.

const [mode, entry, ...already] = process.argv.slice(2);
for (const name of already) await import(name);
process.on('disconnect', () => process.exit());
process.send(mode === 'look' ? await look() : await time());

async function time() {
  const start = performance.now();
  await import(entry);
  return performance.now() - start;
}

/** Reports what the import loads: files, their packages, and modules of Node. */
async function look() {
  const builtins = new Set(process.moduleLoadList);
  const files = new Set();
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url } }) => files.add(url));
  session.post('Debugger.enable');
  // Files that are already loaded are reported immediately.
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
