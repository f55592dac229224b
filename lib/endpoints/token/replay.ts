import { InvalidGrantError, type RefusalDetail, ServerError } from '../../errors/index.js';
import type { CoreClient, User } from '../../model/model.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { reportEvent } from '../../events/events.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';

/** An authorization code or refresh token as the model returned it. It can be used only once. */
interface SingleUseRecord {
  client: CoreClient;
  user: User;
  grantId?: string;
  issuer?: string;
  revokedAt?: Date;
}

/**
 * Verifies that a code or refresh token belongs to the client and the issuer of the request.
 * @param options `finder` is the model method that returned the record, and `name` its name in messages.
 * @throws {InvalidGrantError} If it belongs to another client or issuer.
 * @throws {ServerError} If the model returned it without `client` or `user`.
 */
export function verifyOwner(
  record: SingleUseRecord,
  client: CoreClient,
  { finder, name, issuer }: { finder: string; name: string; issuer?: string | undefined },
): void {
  if (!isOfIssuer(record, issuer)) {
    const detail = { reason: `${name} was issued by another issuer`, expected: issuer, given: record.issuer };
    throw new InvalidGrantError(`Invalid grant: ${name} is invalid`).because(detail);
  }
  if (!record.client) throw new ServerError(`Server error: \`${finder}()\` did not return a \`client\` object`);
  if (!record.user) throw new ServerError(`Server error: \`${finder}()\` did not return a \`user\` object`);
  // Two clients without an ID are not the same client.
  if (record.client.id === undefined || record.client.id === null || record.client.id !== client.id) {
    const detail = { reason: `${name} was issued to another client`, expected: record.client.id, given: client.id };
    throw new InvalidGrantError(`Invalid grant: ${name} is invalid`).because(detail);
  }
}

/** The remedy for a client that uses a code or refresh token twice. RFC 9700 §4.14.2 */
const REDEEM_ONCE =
  'use each code once, and replace the stored refresh token with the one in each response; `refreshTokenReuseInterval` allows retries after a lost response';

/**
 * Returns the refusal detail for a code or token that the model does not know.
 * @param name The name of the code or token in messages, such as `authorization code`.
 */
export const unknownDetail = (name: string): RefusalDetail => ({
  reason: `${name} is unknown`,
  remedy: `send the ${name} to the server that issued it, before it is used or deleted; otherwise start a new authorization request`,
});

/**
 * Returns the error for an expired code or token.
 * @param name The name of the code or token in messages, such as `refresh token`.
 */
export const expiredError = (name: string, expiresAt: Date): InvalidGrantError =>
  new InvalidGrantError(`Invalid grant: ${name} has expired`).because({
    reason: `${name} has expired`,
    given: expiresAt,
    remedy: 'start a new authorization request',
  });

/**
 * Rejects a code or refresh token that is used a second time, because one of its two holders may have stolen it. If the
 * model has `revokeGrant()`, all tokens of the same family are revoked, and events are emitted. RFC 6749 §4.1.2,
 * RFC 9700 §4.14.2
 * @throws {InvalidGrantError} Always.
 */
export async function rejectReplay(
  record: SingleUseRecord,
  name: string,
  { issuer, options: { model, events } }: ClientRequest,
): Promise<never> {
  const { grantId, client, user } = record;
  if (grantId !== undefined && model.revokeGrant) {
    await model.revokeGrant(grantId);
    notifyTokensRevoked({ grantId });
    const details = { endpoint: 'token', issuer, clientId: client.id, userId: user['id'], grantId };
    if (events) {
      reportEvent(events, 'token.reuse_detected', { ...details, kind: name });
      reportEvent(events, 'grant.ended', { ...details, reason: 'reuse' });
    }
  }
  const detail = { reason: `${name} was already used`, given: record.revokedAt ?? 'used before', remedy: REDEEM_ONCE };
  throw new InvalidGrantError(`Invalid grant: ${name} is invalid`).because(detail);
}
