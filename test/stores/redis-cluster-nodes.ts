import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Can this machine run a cluster? */
export function canRunCluster(): boolean {
  const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
  if (isThere('redis-server') && isThere('redis-cli')) return true;
  process.stderr.write('NOT TESTED on Redis Cluster: install redis-server and redis-cli\n');
  return false;
}

/** A Redis Cluster of three nodes, each on a port of its own. */
export class ClusterNodes {
  urls: string[] = [];
  private folder = '';
  private processes: ChildProcess[] = [];

  async start(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'redis-cluster-'));
    const ports = await Promise.all(Array.from({ length: 6 }, freePort));
    for (const index of [0, 1, 2]) await this.startNode(String(ports[index]), String(ports[index + 3]));
    this.urls = ports.slice(0, 3).map((port) => `redis://127.0.0.1:${port}`);
    const addresses = ports.slice(0, 3).map((port) => `127.0.0.1:${port}`);
    await promisify(execFile)('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes']);
  }

  async stop(): Promise<void> {
    for (const node of this.processes) {
      node.kill();
      if (node.exitCode === null && node.signalCode === null) await once(node, 'exit');
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private async startNode(port: string, busPort: string): Promise<void> {
    const place = ['--bind', '127.0.0.1', '--port', port, '--cluster-port', busPort, '--dir', this.folder];
    const files = ['--save', '', '--appendonly', 'no', '--cluster-config-file', `nodes-${port}.conf`];
    const node = spawn('redis-server', [...place, ...files, '--cluster-enabled', 'yes']);
    this.processes.push(node);
    for await (const line of node.stdout) if (String(line).includes('Ready to accept connections')) break;
    // What it says from now on would fill the pipe.
    node.stdout.resume();
  }
}

/** A port that nobody is given by chance, as those from 32768 on are, before the node that is to have it listens. */
async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomInt(20_000, 32_000), '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    const { port } = (server.address() ?? {}) as { port: number };
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
