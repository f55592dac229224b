import type { Authorization } from '../contracts/authorization.js';
import type { Redemption, SaveToken } from '../contracts/redemption.js';
import { InvalidArgumentError } from '../errors/index.js';
import type { Model, Token, Unsaved } from '../model/model.js';
import { NO_EXPIRY, warnOfModel } from '../model/model-mistakes.js';
import { type IssueOptions, prepareToken } from './issuance.js';
import { sealSuccessor } from './successor.js';

/**
 * Mints a token and saves it. Tokens are issued here and in `redeem()`, nowhere else. RFC 6749 §5.1
 * @param save saves the token. If omitted, the model's `saveToken()` does.
 */
export async function issueToken(
  options: IssueOptions,
  authorization: Authorization,
  save?: SaveToken,
): Promise<Token> {
  const token = await prepareToken(options, authorization);
  return await saveToken(options.model, token, authorization, save);
}

/**
 * Like `issueToken()`, and consumes what the token is issued for. Everything that can fail without the store comes before that.
 * RFC 6749 §4.1.2, §6
 */
export async function redeem(
  options: IssueOptions,
  authorization: Authorization,
  redemption: Redemption,
): Promise<Token> {
  const { model } = options;
  const { client, user } = authorization;
  const token = await prepareToken(options, authorization);
  const { found, together } = redemption;
  if (together || (found && model.redeem)) {
    if (redemption.sealUnder !== undefined) token.successor = sealSuccessor(token, redemption.sealUnder);
    const saved = await (together ? together(token) : model.redeem!(found!, token, client, user));
    return saved ? checked(model, saved) : await redemption.lost();
  }
  if (!(await redemption.spend())) return await redemption.lost();
  return await saveToken(model, token, authorization);
}

async function saveToken(
  model: Model,
  token: Unsaved<Token>,
  { client, user }: Authorization,
  save?: SaveToken,
): Promise<Token> {
  const saved = await (save ? save(token) : model.saveToken(token, client, user));
  if (!saved) throw new InvalidArgumentError(NOT_SAVED);
  return checked(model, saved);
}

function checked(model: Model, saved: Token): Token {
  if (!saved.accessTokenExpiresAt) warnOfModel(model, NO_EXPIRY);
  return saved;
}

const NOT_SAVED =
  'Invalid argument: `saveToken()` of the model returned nothing: it must return the token it saved, with `client` and `user`';
