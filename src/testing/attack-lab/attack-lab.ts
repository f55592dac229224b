import { InvalidArgumentError } from '../../../lib/index.js';
import { withClockOffset } from '../../../lib/kit/index.js';
import type { Attack } from './attack.js';
import { ATTACKS } from './attacks/index.js';
import type { LabBrowser } from './browser.js';
import { LabClients } from './clients.js';
import { LabContext } from './context.js';
import { LabCounts } from './counts.js';
import { LabKey } from './jwt.js';
import { Lab } from './lab.js';
import type { LabParts } from './lab-requests.js';
import type { AttackLabOptions } from './options.js';
import { Inconclusive, judge, NotApplicable, type Outcome, ScopesRequired } from './outcome.js';
import { Random } from './random.js';
import { LabReceiver } from './receiver.js';
import { countRun } from './runs.js';
import { AttackLabError, AttackReport, resultOf } from './report.js';
import { addressOf, findServer, type LabApplication, readMetadata, Target } from './target.js';
import { Browsers } from './browsers.js';
import { Wire } from './wire.js';

/**
 * Attacks an application from within its own test suite, through HTTP, and reports which attacks succeeded. It creates
 * its own clients and removes them at the end with everything that was issued to them. Use a database for tests.
 *
 * @throws {InvalidArgumentError} If an option is wrong.
 * @throws {AttackLabError} If an honest client gets no token, so that no attack would prove anything.
 */
export async function attackLab(app: LabApplication, options: AttackLabOptions = {}): Promise<AttackReport> {
  try {
    return await runAll(app, options);
  } catch (error) {
    const cause = (error as AttackLabError | undefined)?.cause;
    // Without the option, the guarded route itself names the scopes that it requires.
    if (options.scopes || !(cause instanceof ScopesRequired)) throw error;
    return runAll(app, { ...options, scopes: cause.scopes });
  }
}

/** Runs the attacks with the given options. */
async function runAll(app: LabApplication, options: AttackLabOptions): Promise<AttackReport> {
  const { seed = 1, timeLimit = 100, patience = 30_000, callers = 200 } = options;
  if (typeof app?.getHttpServer !== 'function') throw new InvalidArgumentError(NO_APPLICATION);
  verifyIds(options);
  const started = performance.now();
  const address = await addressOf(app);
  const server = await findServer(app, options, options.tenant);
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const base = `${address.isTls ? 'https' : 'http'}://${host}:${address.port}`;
  const wire = new Wire(address, patience, started + timeLimit * 1000);
  const target = new Target(server, options, base, await readMetadata(server, base, wire));
  if (
    target.has('authorize') &&
    target.server.context.grants.has('authorization_code') &&
    options.signIn === undefined
  ) {
    throw new InvalidArgumentError('Invalid argument: set `signIn` of `attackLab()`: how a user signs in, or `false`');
  }
  const { model } = server.options;
  const run = await countRun(model, seed);
  const clients = new LabClients(target, options, new Random(seed, 'clients', run));
  const otherTarget = await otherTargetOf(app, options, base);
  const parts: LabParts = {
    context: new LabContext(target, options, clients, await hasVirtualClock(model)),
    wire,
    browsers: new Browsers(wire, target.origin, options, new URL(target.urlOf('authorize') ?? target.origin).pathname),
    otherTarget,
    clients,
    receiver: new LabReceiver(),
    shared: new Map(),
    dpopKey: new LabKey('dpop'),
    callers: Math.min(200, Math.max(2, callers)),
    seed,
    run,
  };
  const models = new Set<object>([model, otherTarget?.server.options.model ?? model]);
  const counts = [...models].map((one) => new LabCounts(one));
  try {
    await verifyHonestFlow(parts);
    const results = [];
    for (const attack of ATTACKS) {
      if (options.only && !options.only.includes(attack.id)) continue;
      results.push(resultOf(attack, await runAttack(attack, parts)));
    }
    return new AttackReport(seed, results, (performance.now() - started) / 1000);
  } finally {
    try {
      await cleanUp(parts);
    } finally {
      for (const one of counts) await one.giveBack();
    }
  }
}

const NO_APPLICATION =
  'Invalid argument: the first argument of `attackLab()` is not a Nest application: pass the result of `moduleRef.createNestApplication()` or ' +
  '`NestFactory.create()`, as `attackLab(app, { signIn })`';

/** Returns the server of the option `otherTenant`. */
async function otherTargetOf(app: LabApplication, options: AttackLabOptions, base: string) {
  const { otherTenant } = options;
  return otherTenant === undefined
    ? undefined
    : new Target(await findServer(app, options, otherTenant), options, base, {});
}

async function runAttack(attack: Attack, parts: LabParts): Promise<Outcome> {
  const skipped = parts.context.options.skip?.[attack.id];
  const reason = skipped === undefined ? attack.applies(parts.context) : `skipped: ${skipped}`;
  if (reason !== undefined) return { verdict: 'not applicable', reason };
  try {
    const result = await attack.run(new Lab(parts, attack));
    return 'verdict' in result ? result : judge(result, attack.finding);
  } catch (error) {
    if (error instanceof NotApplicable) return { verdict: 'not applicable', reason: error.message };
    if (error instanceof Inconclusive) return { verdict: 'inconclusive', reason: error.message };
    return { verdict: 'inconclusive', reason: `the attack failed: ${(error as Error)?.stack ?? String(error)}` };
  }
}

/** @throws {InvalidArgumentError} If an option names an unknown attack, or a reason is missing. */
function verifyIds({ only = [], skip = {} }: AttackLabOptions): void {
  const known = new Set(ATTACKS.map(({ id }) => id));
  const unknown = [...only, ...Object.keys(skip)].find((id) => !known.has(id));
  if (unknown !== undefined) throw new InvalidArgumentError(`Invalid argument: there is no attack \`${unknown}\``);
  const bare = Object.keys(skip).find((id) => !skip[id]?.trim());
  if (bare !== undefined) throw new InvalidArgumentError(`Invalid argument: \`skip\` has no reason for \`${bare}\``);
}

/** Verifies that honest requests succeed, because a server that refuses every request resists every attack. */
async function verifyHonestFlow(parts: LabParts): Promise<void> {
  const lab = new Lab(parts, { id: 'honest', finding: '' });
  const { context } = parts;
  try {
    if (context.lacks('code') !== undefined) return;
    const { access } = await lab.tokens('web');
    if (context.lacks('guarded route') !== undefined) return;
    const response = await lab.callRoute(access);
    context.isOpen = (await lab.callRoute(undefined, { dpop: null })).isAccepted;
    if (response.isAccepted && response.status !== 404) return;
    const { path, method = 'GET' } = context.target.guarded!;
    const challenge = String(response.headers['www-authenticate'] ?? '');
    const message =
      `${method} ${path} rejected an honest token with ${response.status}: ${challenge}. ` +
      'Set `guarded`, `scopes` or `resource` of `attackLab()`';
    // RFC 6750 §3.1
    const scope = /\berror="insufficient_scope".*\bscope="([^"]+)"/.exec(challenge)?.[1];
    throw scope ? new ScopesRequired(message, scope.split(' ')) : new Inconclusive(message);
  } catch (error) {
    if (error instanceof NotApplicable && parts.clients.canCreate) return;
    const { message } = error as Error;
    throw new AttackLabError(`The honest flow failed, so that no attack proves anything: ${message}`, { cause: error });
  }
}

/** Whether the time of the store follows the clock of this process. */
async function hasVirtualClock(model: object): Promise<boolean> {
  const { storage } = model as { storage?: { readClock?(): Promise<number> | number } };
  if (typeof storage?.readClock !== 'function') return true;
  const ahead = await withClockOffset(86_400_000, async () => storage.readClock!());
  return Number(ahead) - (await storage.readClock()) > 43_200_000;
}

/** Signs the users of the lab out and removes its clients. */
async function cleanUp({ clients, receiver, shared, wire, context }: LabParts): Promise<void> {
  try {
    const logout = context.target.urlOf('logout');
    const victim = (await shared.get('victim')) as LabBrowser | undefined;
    if (logout !== undefined) await victim?.open(logout, { method: 'POST', form: {} });
  } catch (error) {
    // `ApplicationStopped` is one, too.
    if (!(error instanceof Inconclusive)) throw error;
  } finally {
    wire.close();
    receiver.close();
    await clients.removeAll();
  }
}
