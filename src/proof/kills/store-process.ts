import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { StoreFixtures, StoreOperations, StoreOutcome, StoreResponse } from './messages.js';

/** Milliseconds to wait for a child process, so that a store that hangs ends the proof. */
const PATIENCE = 60_000;

/** A child process that works on the store, and that can be killed. */
export class StoreProcess {
  /** The outcome of opening the store. */
  readonly opened: Promise<StoreOutcome>;
  /** Why the process ended without being killed, or why it had to be. */
  problem: string | undefined;
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private readonly waiting = new Map<number, (outcome: StoreOutcome) => void>();
  private requests = 0;
  private responses = 0;
  private killAfter = Infinity;
  private killDelay = 0;
  private isKilled = false;

  /** @param program the path of the program that the child process runs */
  constructor(program: string, fixtures: StoreFixtures) {
    // A debugger would listen at the same port as that of this process.
    const execArgv = process.execArgv.filter((argument) => !argument.startsWith('--inspect'));
    // The standard output of `prove` contains only its result.
    this.child = fork(program, [], { execArgv, stdio: ['ignore', 2, 2, 'ipc'] });
    this.ended = once(this.child, 'exit');
    this.child.on('message', (response: StoreResponse) => this.receive(response));
    this.child.on('exit', (code) => this.end(`the process ended with code ${code}`));
    this.opened = this.outcomeOf(0);
    this.child.send(fixtures, () => undefined);
  }

  /** Carries out one operation. The outcome is `unknown` if the process is killed meanwhile. */
  async run<K extends keyof StoreOperations>(
    operation: K,
    argument: StoreOperations[K]['argument'],
  ): Promise<StoreOutcome<StoreOperations[K]['result']>> {
    if (!this.isRunning) return { status: 'unknown', reason: 'the process has ended' };
    this.requests += 1;
    const outcome = this.outcomeOf(this.requests);
    this.child.send({ id: this.requests, operation, argument }, () => undefined);
    return outcome as Promise<StoreOutcome<StoreOperations[K]['result']>>;
  }

  get isRunning(): boolean {
    return this.child.connected && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Kills the process some milliseconds after it has sent this number of further responses. */
  killLater(responses: number, milliseconds: number): void {
    this.killAfter = this.responses + responses;
    this.killDelay = milliseconds;
  }

  /** Kills the process without a chance to finish anything. Resolves when it has ended. */
  async kill(): Promise<void> {
    this.sendKill();
    await this.ended;
  }

  private sendKill(): void {
    this.isKilled = true;
    this.child.kill('SIGKILL');
  }

  private receive({ id, ...outcome }: StoreResponse): void {
    this.settle(id, outcome);
    this.responses += 1;
    if (this.responses === this.killAfter) setTimeout(() => this.sendKill(), this.killDelay);
  }

  /** Returns the outcome of a request. Kills a process that does not respond. */
  private async outcomeOf(id: number): Promise<StoreOutcome> {
    const timer = setTimeout(() => {
      this.problem ??= `no response in ${PATIENCE / 1000} seconds`;
      this.sendKill();
    }, PATIENCE);
    const outcome = await new Promise<StoreOutcome>((resolve) => void this.waiting.set(id, resolve));
    clearTimeout(timer);
    return outcome;
  }

  private settle(id: number, outcome: StoreOutcome): void {
    this.waiting.get(id)?.(outcome);
    this.waiting.delete(id);
  }

  private end(reason: string): void {
    if (!this.isKilled) this.problem ??= reason;
    for (const id of this.waiting.keys()) this.settle(id, { status: 'unknown', reason });
  }
}
