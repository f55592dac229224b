import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

import mongoose, { type Connection, type ConnectOptions } from 'mongoose';

import { hasProgram, reportMissing } from './requirements.js';
import { waitUntil } from './wait-until.js';

const root = join(import.meta.dirname, '../../..');
const jars = join(root, 'node_modules/.cache/mongo-java-server');

/** Returns whether the tests of MongooseStore can run. If not, reports what is missing. */
export function hasMongo(): boolean {
  if (process.env['MONGODB_URL']) return true;
  if (!existsSync(join(jars, 'complete'))) {
    reportMissing('MongoDB', '.ci/mongo-java-server');
    return false;
  }
  return hasProgram('java', 'MongoDB, which needs Java');
}

/** Returns the URL of the server in `MONGODB_URL`, or of a mongo-java-server that all workers of Jest share. */
export async function mongoUrl(): Promise<string> {
  const url = process.env['MONGODB_URL'];
  if (url) return url;
  // A worker of Jest is a child process of Jest, and the server ends with Jest.
  const owner = process.send ? process.ppid : process.pid;
  const folder = join(tmpdir(), `nest-oauth2-mongo-${owner}`);
  if (isCreated(folder)) start(folder, owner);
  return urlFrom(folder);
}

/** Starts a server of its own. It ends with this process, or by `stop()`. */
export async function startMongo() {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-mongo-'));
  const server = start(folder, process.pid);
  const stop = async () => {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: await urlFrom(folder), server, stop };
}

/** Opens a connection to a database with a random name. Closing it deletes the database. */
export async function openMongo(url: string, options: ConnectOptions = {}): Promise<Connection> {
  const dbName = `oauth-test-${randomUUID()}`;
  return mongoose.createConnection(url, { dbName, serverSelectionTimeoutMS: 5000, ...options }).asPromise();
}

function isCreated(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function start(folder: string, owner: number) {
  const source = join(import.meta.dirname, 'mongo-java-server/Server.java');
  const options = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', join(jars, '*')];
  const server = spawn('java', [...options, source, join(folder, 'port'), String(owner)], {
    stdio: 'ignore',
    detached: true,
  });
  server.unref();
  return server;
}

async function urlFrom(folder: string): Promise<string> {
  const file = join(folder, 'port');
  await waitUntil(() => existsSync(file));
  return `mongodb://127.0.0.1:${readFileSync(file, 'utf8')}/`;
}
