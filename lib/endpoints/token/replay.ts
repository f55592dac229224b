import { InvalidGrantError, type RefusalDetail, ServerError } from '../../errors/index.js';
import type { CoreClient, User } from '../../model/model.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { reportEvent } from '../../events/events.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import type { GrantTypeOptions } from './grant-type.js';

/** What can be spent once: a code or a refresh token as the model found it. */
interface SingleUseRecord {
  client: CoreClient;
  user: User;
  grantId?: string;
  issuer?: string;
  revokedAt?: Date;
}

/** The settings of `rejectReplay()`, which revokes a token family and emits an event. */
export type ReplayOptions = Pick<GrantTypeOptions, 'model' | 'issuer' | 'report'>;

/** Returns the options of `rejectReplay()` for a request. */
export function replayOptionsOf({ issuer, options: { model, events } }: ClientRequest): ReplayOptions {
  if (!events) return { model, issuer };
  return { model, issuer, report: (name, payload) => reportEvent(events, name as never, payload as never) };
}

/** Checks that what was found is whole, and belongs to the issuer that is asked and the client that asks. */
export function verifyOwner(
  record: SingleUseRecord,
  client: CoreClient,
  { finder, what, issuer }: { finder: string; what: string; issuer?: string | undefined },
): void {
  if (!isOfIssuer(record, issuer)) {
    const detail = { reason: `the ${what} is of the issuer that is asked`, expected: issuer, given: record.issuer };
    throw new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
  }
  if (!record.client) throw new ServerError(`Server error: \`${finder}()\` did not return a \`client\` object`);
  if (!record.user) throw new ServerError(`Server error: \`${finder}()\` did not return a \`user\` object`);
  // Two missing ids are not the same id.
  if (record.client.id === undefined || record.client.id === null || record.client.id !== client.id) {
    const detail = { reason: `the ${what} was issued to the client`, expected: record.client.id, given: client.id };
    throw new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
  }
}

/** The remedy for a client that sends a code or a refresh token twice. RFC 9700 §4.14.2 */
const REDEEM_ONCE =
  'redeem each code once, and replace the stored refresh token by that of each response; `refreshTokenReuseInterval` allows retries after a lost response';

/** Nothing was found. */
export const unknownDetail = (what: string): RefusalDetail => ({
  reason: `the ${what} is known`,
  remedy: `send the ${what} to the server that issued it, before it is used or deleted; otherwise start a new authorization request`,
});

/** What was found is too old. */
export const expiredError = (what: string, expiresAt: Date): InvalidGrantError =>
  new InvalidGrantError(`Invalid grant: ${what} has expired`).because({
    reason: `the ${what} has not expired`,
    given: expiresAt,
    remedy: 'start a new authorization request',
  });

/**
 * Something that is spent once was presented twice, so one of the two who had it stole it: nothing that came of the
 * authorization is left alive, where the model knows what did. RFC 6749 §4.1.2, RFC 9700 §4.14.2
 */
export async function rejectReplay(record: SingleUseRecord, what: string, options: ReplayOptions): Promise<never> {
  const { grantId, client, user } = record;
  if (grantId !== undefined && options.model.revokeGrant) {
    await options.model.revokeGrant(grantId);
    notifyTokensRevoked({ grantId });
    const facts = { endpoint: 'token', issuer: options.issuer, clientId: client.id, userId: user['id'], grantId };
    options.report?.('token.reuse_detected', { ...facts, kind: what });
    options.report?.('grant.ended', { ...facts, reason: 'reuse' });
  }
  const detail = { reason: `the ${what} is good once`, given: record.revokedAt ?? 'spent', remedy: REDEEM_ONCE };
  throw new InvalidGrantError(`Invalid grant: ${what} is invalid`).because(detail);
}
