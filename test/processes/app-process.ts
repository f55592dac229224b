import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { DatabaseLocation } from './open-store.js';

const root = join(import.meta.dirname, '../..');

/** The application, compiled like a real one, in a folder where it finds its dependencies. */
export class BuiltApp {
  private folder = '';
  private readonly started: AppProcess[] = [];

  /** @param config the configuration of the build, below the folder `test` */
  constructor(private readonly config = 'processes/rolldown.app.js') {}

  async build(): Promise<void> {
    const cache = join(root, 'node_modules/.cache');
    await mkdir(cache, { recursive: true });
    this.folder = await mkdtemp(join(cache, 'processes-'));
    await writeFile(join(this.folder, 'package.json'), '{ "type": "module" }');
    const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs');
    const config = join(root, 'test', this.config);
    await promisify(execFile)(process.execPath, [rolldown, '-c', config, '--dir', this.folder]);
  }

  /** Returns the path of a built file. */
  path(file: string): string {
    return join(this.folder, file);
  }

  /** @param file the application: `app.js` or `vault-app.js` */
  async start(place: DatabaseLocation & { provider?: string; trace?: string }, file = 'app.js'): Promise<AppProcess> {
    const running = await AppProcess.start(this.path(file), place);
    this.started.push(running);
    return running;
  }

  async remove(): Promise<void> {
    await Promise.all(this.started.map((running) => running.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A running application. */
export class AppProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(file: string, place: DatabaseLocation): Promise<AppProcess> {
    const child = fork(file, { execArgv: [], env: { ...process.env, PLACE: JSON.stringify(place) } });
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (message: { url: string }) => resolve(message.url));
      child.once('exit', (code) => reject(new Error(`The application ended with ${code} before it listened`)));
    });
    return new AppProcess(child, url);
  }

  /** Kills the process immediately, without a chance to finish anything. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
