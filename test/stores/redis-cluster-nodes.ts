import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePort } from '../support/environment/free-port.js';
import { hasProgram } from '../support/environment/requirements.js';
import { waitUntil } from '../support/environment/wait-until.js';

/** Returns whether this machine can run a Redis Cluster. */
export function canRunCluster(): boolean {
  return hasProgram('redis-server', 'redis-server') && hasProgram('redis-cli', 'redis-cli');
}

/** Returns whether a node has joined the cluster, and all slots are assigned. */
async function isReady(port: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)('redis-cli', ['-p', port, 'cluster', 'info']);
  return stdout.includes('cluster_state:ok') && stdout.includes('cluster_known_nodes:3');
}

/** A Redis Cluster of three nodes, each on its own port. */
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
    // Each node accepts commands only after it has learned about the others.
    for (const port of ports.slice(0, 3)) await waitUntil(() => isReady(String(port)));
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
    // Without a reader, further output would fill the pipe.
    node.stdout.resume();
  }
}
