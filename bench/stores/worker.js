import { countStatements } from './statements.js';
import { measureDriver } from './driver.js';
import { measureGuesses } from './guesses.js';
import { measureSecrets } from './secrets.js';
import { openStore } from './kinds.js';

// One store in its own process. The parent process selects the measurement. The process first reports whether the
// server is available.

const [kind] = process.argv.slice(2);
const parts = {
  secrets: measureSecrets,
  guesses: measureGuesses,
  driver: measureDriver,
  statements: (_opened, options) => (kind === 'memory' ? undefined : countStatements(kind, options)),
};
let opened;
try {
  opened = await openStore(kind);
  process.send({ title: opened.title });
} catch (error) {
  process.send({ absent: error.message || error.code || String(error) });
}
process.on('message', async ({ part, brief }) => {
  if (part === 'close') {
    await opened.close();
    process.send({});
  } else {
    process.send({ result: await parts[part](opened, { brief }) });
  }
});
process.on('disconnect', () => process.exit());
