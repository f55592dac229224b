import type { Authorization } from '../contracts/authorization.js';
import type { Redemption, SaveToken } from '../contracts/redemption.js';
import { InvalidArgumentError } from '../errors/index.js';
import type { Falsy, Model, Token } from '../model/model.js';
import { NO_EXPIRY, warnOfModelMistake } from '../model/model-mistakes.js';
import { type IssueOptions, prepareToken } from './issuance.js';
import { encryptRotatedToken } from './rotated-token.js';

/**
 * Creates a token, saves it, and returns the saved token. All tokens are issued by this function or by `redeem()`.
 * RFC 6749 §5.1
 * @param save Saves the token. If omitted, `saveToken()` of the model does.
 */
export async function issueToken(
  options: IssueOptions,
  authorization: Authorization,
  save?: SaveToken,
): Promise<Token> {
  const { model } = options;
  const token = await prepareToken(options, authorization);
  const saved = await (save ? save(token) : model.saveToken(token, authorization.client, authorization.user));
  return verifySaved(model, saved);
}

/**
 * Creates a token, consumes the single-use value that it is issued for, and saves the token. All checks that do not
 * need the store come before. RFC 6749 §4.1.2, §6
 */
export async function redeem(
  options: IssueOptions,
  authorization: Authorization,
  redemption: Redemption,
): Promise<Token> {
  const { model } = options;
  const { client, user } = authorization;
  const token = await prepareToken(options, authorization);
  const { stored, consumeAndSave } = redemption;
  if (consumeAndSave || (stored && model.redeem)) {
    if (redemption.encryptResponseWith !== undefined)
      token.successor = encryptRotatedToken(token, redemption.encryptResponseWith);
    const saved = await (consumeAndSave ? consumeAndSave(token) : model.redeem!(stored!, token, client, user));
    return saved ? verifySaved(model, saved) : await redemption.handleReplay();
  }
  if (!(await redemption.consume())) return await redemption.handleReplay();
  return verifySaved(model, await model.saveToken(token, client, user));
}

/**
 * Verifies that the model returned the saved token. Warns the developer if the token has no expiry.
 * @throws {InvalidArgumentError} If the model returned nothing.
 */
function verifySaved(model: Model, saved: Token | Falsy): Token {
  if (!saved) throw new InvalidArgumentError(NOT_SAVED);
  if (!saved.accessTokenExpiresAt) warnOfModelMistake(model, NO_EXPIRY);
  return saved;
}

const NOT_SAVED =
  'Invalid argument: `saveToken()` of the model returned nothing: it must return the saved token, with `client` and `user`';
