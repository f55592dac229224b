import { InvalidGrantError, type RefusalDetail, ServerError } from '../../errors/index.js';
import type { CoreClient, User } from '../../model/model.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { report } from '../../events/events.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { tellEnded } from '../../tokens/ended.js';
import type { GrantTypeOptions } from './grant-type.js';

/** What can be spent once: a code or a refresh token as the model found it. */
interface Spendable {
  client: CoreClient;
  user: User;
  grantId?: string;
  issuer?: string;
  revokedAt?: Date;
}

/** The settings of `refuseReplay()`, which revokes a token family and emits an event. */
export type ReplayOptions = Pick<GrantTypeOptions, 'model' | 'issuer' | 'report'>;

/** Returns the options of `refuseReplay()` for a request. */
export function replayOptionsOf({ issuer, options: { model, events } }: ClientRequest): ReplayOptions {
  if (!events) return { model, issuer };
  return { model, issuer, report: (name, payload) => report(events, name as never, payload as never) };
}

/** Checks that what was found is whole, and belongs to the issuer that is asked and the client that asks. */
export function verifyOwner(
  found: Spendable,
  client: CoreClient,
  { finder, what, issuer }: { finder: string; what: string; issuer?: string | undefined },
): void {
  if (!isOfIssuer(found, issuer)) {
    const detail = { rule: `the ${what} is of the issuer that is asked`, wanted: issuer, given: found.issuer };
    throw new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
  }
  if (!found.client) throw new ServerError(`Server error: \`${finder}()\` did not return a \`client\` object`);
  if (!found.user) throw new ServerError(`Server error: \`${finder}()\` did not return a \`user\` object`);
  // Two missing ids are not the same id.
  if (found.client.id === undefined || found.client.id === null || found.client.id !== client.id) {
    const detail = { rule: `the ${what} was issued to the client`, wanted: found.client.id, given: client.id };
    throw new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
  }
}

/** The remedy for a client that sends a code or a refresh token twice. RFC 9700 §4.14.2 */
const REDEEM_ONCE =
  'redeem each code once, and replace the stored refresh token by that of each response; `refreshTokenReuseInterval` allows retries after a lost response';

/** Nothing was found. */
export const unknown = (what: string): RefusalDetail => ({
  rule: `the ${what} is known`,
  remedy: `send the ${what} to the server that issued it, before it is used or deleted; otherwise start a new authorization request`,
});

/** What was found is too old. */
export const expired = (what: string, expiresAt: Date): InvalidGrantError =>
  new InvalidGrantError(`Invalid grant: ${what} has expired`).because({
    rule: `the ${what} has not expired`,
    given: expiresAt,
    remedy: 'start a new authorization request',
  });

/**
 * Something that is spent once was presented twice, so one of the two who had it stole it: nothing that came of the
 * authorization is left alive, where the model knows what did. RFC 6749 §4.1.2, RFC 9700 §4.14.2
 */
export async function refuseReplay(found: Spendable, what: string, options: ReplayOptions): Promise<never> {
  const { grantId, client, user } = found;
  if (grantId !== undefined && options.model.revokeGrant) {
    await options.model.revokeGrant(grantId);
    tellEnded({ grantId });
    const facts = { endpoint: 'token', issuer: options.issuer, clientId: client.id, userId: user['id'], grantId };
    options.report?.('token.reuse_detected', { ...facts, what });
    options.report?.('grant.ended', { ...facts, reason: 'reuse' });
  }
  const detail = { rule: `the ${what} is good once`, given: found.revokedAt ?? 'spent', remedy: REDEEM_ONCE };
  throw new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
}
