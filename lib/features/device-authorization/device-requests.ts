import { hash, randomInt } from 'node:crypto';

import { InvalidArgumentError, TemporarilyUnavailableError } from '../../errors.js';
import { isHeard, report } from '../../events.js';
import type { ServerFacts } from '../../feature.js';
import type { Request } from '../../http/request.js';
import type { Client, Model, OnceModel, Scope, User } from '../../model/model.js';
import { audienceOf } from '../../tokens/audience.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { isOver } from '../../tokens/lifetime.js';
import { approveScope, scopeText, withinScope } from '../../tokens/scope.js';
import type { DeviceAuthorization, DeviceAuthorizationModel } from './device-model.js';
import { networkOf } from './network.js';
import { readUserCode, shownUserCode } from './user-code.js';

/** A server, or what its features know of it. */
export type DeviceServer = ServerFacts | { readonly facts: ServerFacts };

/** Who enters a user code. */
export interface Visitor {
  /** Who is signed in. */
  user: User;
  /** From where, as Express or Fastify say; behind a proxy they have to be told to trust it. */
  address?: string | undefined;
  /** The request, where the issuer is a fact of it. */
  request?: Request;
}

/** What a device asks of a user, as it is to be shown to them. */
export interface DeviceRequest<C extends Client = Client> {
  /** Names it; no secret. */
  readonly id: string;
  /** As the device shows it: `WDJB-MJHT`. */
  readonly userCode: string;
  readonly client: C;
  /** What this user would grant: what is to be shown. */
  readonly scope: string | undefined;
  /** The resources that the tokens would be for. RFC 8707 §2 */
  readonly resource: readonly string[];
  readonly expiresAt: Date;
}

/** How many codes may be entered: by one user, from one address, by all; in so many seconds. */
export const GUESSES = { each: 20, all: 3000, seconds: 300 };

const underWay = new WeakMap<DeviceRequest, { found: DeviceAuthorization; user: User; server: ServerFacts }>();

const factsOf = (server: DeviceServer): ServerFacts => ('facts' in server ? server.facts : server);
const modelOf = (server: ServerFacts) => server.options.model as Model & DeviceAuthorizationModel & OnceModel;

/**
 * What a device asks, by the code that a signed-in user has typed; undefined where there is none that waits for its user. RFC 8628
 * §3.3
 * @throws TemporarilyUnavailableError (429) for whoever has entered too many codes. InvalidScopeError where this user cannot grant it
 */
export async function findDeviceRequest(
  of: DeviceServer,
  typed: string,
  visitor: Visitor,
): Promise<DeviceRequest | undefined> {
  const server = factsOf(of);
  const model = modelOf(server);
  await countGuess(model, visitor);
  const userCode = readUserCode(typed);
  const found = userCode && (await model.getDeviceAuthorizationByUserCode(userCode));
  if (!found || found.user || found.isDenied || found.revokedAt || isOver(found.expiresAt)) return undefined;
  const issuer = visitor.request ? server.issuerOf(visitor.request) : server.options.issuer;
  if (!isOfIssuer(found, issuer)) return undefined;
  const { client, scope, id, expiresAt, resource } = found;
  const grantable = await approveScope(server.options, { client, user: visitor.user, ...(scope && { scope }) });
  const shown: DeviceRequest = {
    id,
    userCode: shownUserCode(userCode),
    client,
    scope: grantable,
    resource: audienceOf(resource),
    expiresAt,
  };
  underWay.set(shown, { found: { ...found, userCode }, user: visitor.user, server });
  return shown;
}

/**
 * Keeps what the user who was shown a request has decided: the very object that `findDeviceRequest()` resolved to. What of the scope they
 * agreed to never widens it. RFC 8628 §3.3
 * @returns whether it counts: of several decisions the first does, and none that comes too late
 */
export async function decideDeviceRequest(
  request: DeviceRequest,
  decision: { allow: boolean; scope?: Scope },
): Promise<boolean> {
  const known = underWay.get(request);
  if (!known) throw new InvalidArgumentError('Invalid argument: what is decided is the very object that was found');
  underWay.delete(request);
  const { found, user, server } = known;
  if (isOver(found.expiresAt)) return false;
  const scope = decision.scope === undefined ? request.scope : scopeText(withinScope(request.scope, decision.scope));
  const isAllowed = decision.allow;
  const counts = await modelOf(server).decideDeviceAuthorization(found, isAllowed ? { user, scope } : {});
  if (counts) tell(server, { found, user, scope, isAllowed });
  return Boolean(counts);
}

function tell(
  { options: { events } }: ServerFacts,
  {
    found,
    user,
    scope,
    isAllowed,
  }: { found: DeviceAuthorization; user: User; scope: string | undefined; isAllowed: boolean },
): void {
  const { client, issuer } = found;
  const facts = { endpoint: 'device', issuer, clientId: client.id, userId: user['id'] as unknown, scope };
  for (const name of isAllowed ? (['consent.given', 'authorization.granted'] as const) : []) {
    if (isHeard(events, name)) report(events, name, facts);
  }
  if (isAllowed || !isHeard(events, 'consent.denied')) return;
  const said = { error: 'access_denied', description: 'Access denied: the user said no', status: 400 };
  report(events, 'consent.denied', { ...facts, ...said });
}

/**
 * Takes a place for each code that is entered, before it is looked up, so that many at once are no more than one after another. The
 * places are kept by the model, for all processes. RFC 8628 §5.1
 */
async function countGuess(model: OnceModel, { user, address }: Visitor): Promise<void> {
  const { each, all, seconds } = GUESSES;
  const id: unknown = user['id'];
  const mine = [`user ${typeof id} ${String(id)}`, ...(address === undefined ? [] : [`address ${networkOf(address)}`])];
  for (const who of mine) if (!(await takePlace(model, who, { places: each, probes: each }))) throw tooMany(seconds);
  // Of many places a few are tried: where so many are taken that all of these are, it is about enough.
  if (!(await takePlace(model, 'all', { places: all, probes: 12 }))) throw tooMany(seconds);
}

async function takePlace(
  model: OnceModel,
  who: string,
  { places, probes }: { places: number; probes: number },
): Promise<boolean> {
  const start = randomInt(places);
  for (let probe = 0; probe < probes; probe += 1) {
    const place = probes === places ? (start + probe) % places : randomInt(places);
    const mark = hash('sha256', `user code of ${who}, ${place}`, 'base64url');
    if (await model.once(mark, GUESSES.seconds)) return true;
  }
  return false;
}

const tooMany = (retryAfter: number) =>
  new TemporarilyUnavailableError('Temporarily unavailable: too many codes were entered', { code: 429, retryAfter });
