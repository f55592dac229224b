import type { ClientFixture, TestSubject } from '../../../lib/kit/index.js';
import { Random } from '../../testing/attack-lab/random.js';
import { type Family, useStore } from './families.js';
import { judgeFamily, REQUIREMENTS } from './judge-family.js';
import { StoreProcess } from './store-process.js';

/** The settings of the kills. */
export interface KillRequest {
  /** The path of the program that the child processes run. */
  readonly program: string;
  /** The file that exports `proof`. */
  readonly file: string;
  readonly place: string;
  readonly seed: number;
  /** The number of processes that are killed. */
  readonly kills: number;
}

/** The result of a requirement. */
export interface KillOutcome {
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'absent';
  /** What was observed. `undefined` if the check did not fail. */
  readonly message?: string;
}

/** The number of users whose requests run at the same time. */
const USERS = 8;
/** The clocks of the processes in milliseconds, one after the other. */
const CLOCKS = [0, 5000, -5000];

/**
 * Starts processes that work on the store, kills each with SIGKILL while it handles requests, and verifies that the
 * store has neither lost nor doubled anything that clients received. The seed determines the requests and the moments.
 * Two processes run at the same time, and their clocks differ.
 */
export async function checkKills(
  { model, scopes = [] }: TestSubject,
  client: ClientFixture,
  { program, file, place, seed, kills }: KillRequest,
): Promise<readonly KillOutcome[]> {
  const has = (...methods: readonly string[]) =>
    methods.every((method) => typeof (model as Record<string, unknown>)[method] === 'function');
  const names = Object.entries(REQUIREMENTS);
  if (!has('saveAuthorizationCode', 'getAuthorizationCode', 'getRefreshToken', 'getAccessToken'))
    return names.map(([, name]) => ({ name, result: 'absent' }));
  const observed = new Map<string, string[]>();
  const report = (requirement: keyof typeof REQUIREMENTS, text: string) =>
    void observed.set(requirement, [...(observed.get(requirement) ?? []), text]);
  const started: StoreProcess[] = [];
  const start = () => {
    const ahead = CLOCKS[started.length % CLOCKS.length]!;
    started.push(new StoreProcess(program, { file, place, client, scopes, ahead }));
    return started.at(-1)!;
  };
  try {
    const families: Family[] = [];
    let [victim, other] = [start(), start()];
    for (let kill = 1; kill <= kills; kill += 1) {
      await verifyOpened(victim);
      families.push(...(await workUntilKilled(victim, other, new Random(seed, `kill ${kill}`))));
      [victim, other] = [other, start()];
    }
    await verifyOpened(other);
    await inParts(families, (family, index) => judgeFamily(other, family, index % 2 === 0, has('revokeGrant'), report));
    for (const one of [victim, other]) verifyNoProblem(one);
    if (!families.some(({ tokens }) => tokens.length > 0)) throw new Error('No client received a token.');
  } catch (error) {
    for (const requirement of Object.keys(REQUIREMENTS) as (keyof typeof REQUIREMENTS)[])
      report(requirement, (error as Error).message);
  } finally {
    await Promise.all(started.map((one) => one.kill()));
  }
  return names.map(([requirement, name]) => outcomeOf(name, observed.get(requirement)));
}

function outcomeOf(name: string, observations: readonly string[] = []): KillOutcome {
  const [message] = observations;
  if (message === undefined) return { name, result: 'passed' };
  const more = observations.length > 1 ? ` Observed ${observations.length} times.` : '';
  return { name, result: 'failed', message: `Requirement: the model ${name}.\nObserved: ${message}${more}` };
}

/** @throws {Error} If a process cannot open the store. */
async function verifyOpened(process: StoreProcess): Promise<void> {
  const opened = await process.opened;
  if (opened.status === 'unknown') throw new Error(`Another process cannot use the store: ${opened.reason}`);
}

/** @throws {Error} If a process has ended without being killed, or did not respond. */
function verifyNoProblem({ problem }: StoreProcess): void {
  if (problem !== undefined) throw new Error(`A process failed while it used the store: ${problem}`);
}

/** Sends requests of some users to a process, and kills it. Returns the authorizations of the users. */
async function workUntilKilled(victim: StoreProcess, other: StoreProcess, random: Random): Promise<Family[]> {
  const families: Family[] = [];
  victim.killLater(20 + random.below(60), random.below(15));
  const users = Array.from({ length: USERS }, (_, index) =>
    useStore(victim, other, new Random(random.below(1_000_000), `user ${index}`), families),
  );
  await Promise.all(users);
  await victim.kill();
  verifyNoProblem(victim);
  return families;
}

/** Calls `check` for each item, for a few items at a time. */
async function inParts<T>(items: readonly T[], check: (item: T, index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += USERS)
    await Promise.all(items.slice(from, from + USERS).map((item, index) => check(item, from + index)));
}
