import { servers } from './servers.js';

// One server in its own process. The parent process requests the CPU time used between `begin` and `end`.

const [name, port, jwk] = process.argv.slice(2);
const places = await servers[name].serve(Number(port), JSON.parse(jwk));
let cpu;
process.on('message', (message) => {
  if (message === 'begin') {
    globalThis.gc?.({ type: 'minor' });
    cpu = process.cpuUsage();
    process.send('ready');
  } else {
    const { user, system } = process.cpuUsage(cpu);
    process.send(user + system);
  }
});
process.on('disconnect', () => process.exit());
process.send(places);
