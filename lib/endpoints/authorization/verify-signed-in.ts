import type { AuthorizationResponse } from '../../contracts/response-type.js';
import type { Awaitable, Model } from '../../model/model.js';
import { loginRequired } from './authorization-errors.js';

/**
 * Verifies that a user is still signed in after the code or token was saved. If not, its grant is revoked: the request
 * that ended the session revoked the grants of the user before this one was saved.
 * @throws {LoginRequiredError} If the user was signed out.
 */
export async function verifySignedIn(
  isSignedIn: () => Awaitable<boolean>,
  { grantId }: Pick<AuthorizationResponse, 'grantId'>,
  model: Model,
): Promise<void> {
  if (await isSignedIn()) return;
  if (grantId !== undefined) await model.revokeGrant?.(grantId);
  throw loginRequired();
}
