import type { Authorization } from '../contracts/authorization.js';
import type { Redemption, SaveToken } from '../contracts/redemption.js';
import { InvalidArgumentError } from '../errors/index.js';
import type { Falsy, Model, Token, Unsaved } from '../model/model.js';
import { NO_EXPIRY, warnOfModelMistake } from '../model/model-mistakes.js';
import { beginIssuance, completeIssuance, type IssueOptions, requestScope } from './issuance.js';
import { encryptRotatedToken } from './rotated-token.js';

/**
 * Creates a token, saves it, and returns the saved token. All tokens are issued by this function. With a `redemption`,
 * it consumes the single-use value that the token is issued for. All checks that do not need the store come before.
 * RFC 6749 §4.1.2, §5.1, §6
 * @param redemption The single-use value. If omitted, `save` saves the token, or else `saveToken()` of the model.
 */
export async function issueToken(
  options: IssueOptions,
  authorization: Authorization,
  { save, redemption }: { save?: SaveToken | undefined; redemption?: Redemption } = {},
): Promise<Token> {
  const { model } = options;
  const { client, user, scope, scopeStatus } = authorization;
  const issuance = beginIssuance(options, authorization);
  const approved = scopeStatus === 'approved' ? scope : await requestScope(issuance);
  const created = completeIssuance(issuance, approved);
  const token = created instanceof Promise ? await created : (created as Unsaved<Token>);
  if (redemption) {
    const { stored, consumeAndSave, encryptResponseWith } = redemption;
    if (consumeAndSave || (stored && model.redeem)) {
      if (encryptResponseWith !== undefined) token.rotatedToken = encryptRotatedToken(token, encryptResponseWith);
      const saved = await (consumeAndSave ? consumeAndSave(token) : model.redeem!(stored!, token, client, user));
      return saved ? verifySaved(model, saved) : await redemption.handleReplay();
    }
    if (!(await redemption.consume())) return await redemption.handleReplay();
  }
  return verifySaved(model, await (save ? save(token) : model.saveToken(token, client, user)));
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
