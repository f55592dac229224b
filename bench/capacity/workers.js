import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts processes that serve one port, as `node:cluster` distributes their connections. */
export async function startWorkers(count, options) {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('worker.js', import.meta.url)), args: [JSON.stringify(options)] });
  const workers = [];
  let url;
  // One after the other, because the first one creates what the others then find.
  while (workers.length < count) {
    const worker = cluster.fork();
    [url] = await once(worker, 'message');
    workers.push(worker);
  }
  const askAll = (message) =>
    Promise.all(
      workers.map(async (worker) => {
        worker.send(message);
        const [answer] = await once(worker, 'message');
        return answer;
      }),
    );
  return {
    url,
    meter: {
      pids: workers.map((worker) => worker.process.pid),
      begin: () => askAll('begin').then(() => undefined),
      async end() {
        const measured = await askAll('end');
        const microseconds = measured.reduce((sum, one) => sum + one.microseconds, 0);
        return { microseconds, memory: measured.flatMap(({ memory }) => memory) };
      },
    },
    async stop() {
      await askAll('close');
      workers.forEach((worker) => worker.disconnect());
    },
  };
}
