import { InvalidRequestError } from '../../errors/index.js';
import { isObject } from '../../http/is-object.js';
import type { CoreClient } from '../../model/model.js';
import type { Act, SubjectOrActorToken } from './exchange-model.js';

/** Maximum number of nested actors. A longer chain is probably a loop. */
const MAX_ACTORS = 8;

/**
 * Returns the claim `act` of the new token: the actor, with the earlier actors of the subject token nested inside. If
 * the request has no actor token, `act` of the subject token is kept. If the subject token then has `may_act`, the
 * client itself becomes the actor. RFC 8693 §4.1, §4.4
 * @throws {InvalidRequestError} If `may_act` does not allow the actor, or there are too many actors.
 */
export function actOf(
  subject: SubjectOrActorToken,
  actor: SubjectOrActorToken | undefined,
  client: CoreClient,
): Act | undefined {
  const { act: earlier, may_act: allowed } = subject;
  if (!actor && !allowed) return earlier;
  const claims = actor ? { ...actor.claims } : { sub: client.id, client_id: client.id };
  if (allowed && !matchesClaims(allowed, claims)) {
    const detail = {
      reason: '`may_act` of the subject token does not allow this actor',
      expected: allowed,
      given: claims,
    };
    throw new InvalidRequestError('Invalid request: the subject token does not allow this actor to act').because(
      detail,
    );
  }
  const act: Act = earlier ? { ...claims, act: earlier } : claims;
  if (depthOf(act) <= MAX_ACTORS) return act;
  throw new InvalidRequestError(`Invalid request: more than ${MAX_ACTORS} actors`);
}

/**
 * Whether the claims of the actor contain all claims in `may_act` with the same values. An empty `may_act` allows no
 * actor. RFC 8693 §4.4
 */
function matchesClaims(allowed: Readonly<Record<string, unknown>>, claims: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(allowed);
  return names.length > 0 && names.every((name) => allowed[name] !== undefined && allowed[name] === claims[name]);
}

function depthOf(act: Act): number {
  let depth = 0;
  for (let one: Act | undefined = act; typeof one === 'object' && one && depth <= MAX_ACTORS; one = one.act) depth += 1;
  return depth;
}

/**
 * Returns the claims of an actor and of all earlier actors. Each `sub` that is the `id` of a user of this server is
 * replaced by `nameOf()`. The `sub` of a client, or of a subject of another issuer (`iss`), stays. RFC 8693 §4.1
 */
export function withSubjects(claims: unknown, nameOf: (id: string) => string, depth = 0): unknown {
  if (!isObject(claims) || depth > MAX_ACTORS) return undefined;
  const { sub, iss, client_id: clientId, act } = claims;
  const isUser = typeof sub === 'string' && sub !== clientId && iss === undefined;
  return {
    ...claims,
    ...(isUser && { sub: nameOf(sub) }),
    ...(act !== undefined && { act: withSubjects(act, nameOf, depth + 1) }),
  };
}
