import { InvalidArgumentError } from '../errors/index.js';
import type { Token } from '../model/model.js';
import { scopeText } from './scope.js';
import { TOKEN_FIELDS } from './token-fields.js';

const SECRET = /secret|password|__proto__/i;

/** What goes with a token into its answer. */
interface ResponseExtras {
  /** Members that features add. */
  responseMembers?: object;
  /** Where the host lets its own attributes of a saved token be sent: those that features keep there, which are not. */
  storedMembers?: object | undefined;
  /** It is no access token, whatever features say of how it is presented. RFC 8693 §2.2.1 */
  isNotAccessToken?: boolean;
}

/** The body of a token response. RFC 6749 §5.1 */
export function tokenResponse(
  token: Token,
  { responseMembers: answer, storedMembers: kept, isNotAccessToken: isOther }: ResponseExtras = {},
): Record<string, unknown> {
  verifySaved(token);
  const body: Record<string, unknown> = { access_token: token.accessToken, token_type: 'Bearer' };
  const expiresIn = secondsLeft(token.accessTokenExpiresAt);
  const scope = scopeText(token.scope);
  if (expiresIn) body['expires_in'] = expiresIn;
  if (token.refreshToken) body['refresh_token'] = token.refreshToken;
  if (scope) body['scope'] = scope;
  if (kept) addAttributes(body, token, kept);
  for (const name in answer) body[name] = (answer as Record<string, unknown>)[name];
  if (isOther) body['token_type'] = 'N_A';
  return body;
}

/** Returns the whole seconds until a token expires, rounded to the nearest: a new token reports its configured lifetime. */
function secondsLeft(expiresAt: Date | undefined): number {
  const seconds = expiresAt ? Math.round((expiresAt.getTime() - Date.now()) / 1000) : 0;
  return seconds > 0 ? seconds : 0;
}

/** What a model may have copied from the code. */
const CODE_FIELDS = new Set(['code', 'codeChallenge', 'codeChallengeMethod']);

/** Members the protocol defines are never the host's to set, sent or not. */
const PROTOCOL = new Set(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'error']);

function addAttributes(body: Record<string, unknown>, token: Token, kept: object): void {
  for (const [name, value] of Object.entries(token)) {
    if (TOKEN_FIELDS.has(name) || CODE_FIELDS.has(name) || PROTOCOL.has(name) || Object.hasOwn(kept, name)) continue;
    if (SECRET.test(name) || typeof value === 'function') continue;
    body[name] = value;
  }
}

/** What a model or an extension grant says it saved must be whole. */
function verifySaved(token: Token | undefined): void {
  if (!token?.accessToken) throw new InvalidArgumentError('Missing parameter: `accessToken`');
  if (!token.client) throw new InvalidArgumentError('Missing parameter: `client`');
  if (!token.user) throw new InvalidArgumentError('Missing parameter: `user`');
  verifyDate(token.accessTokenExpiresAt, 'accessTokenExpiresAt');
  verifyDate(token.refreshTokenExpiresAt, 'refreshTokenExpiresAt');
}

function verifyDate(date: unknown, name: string): void {
  if (date && !(date instanceof Date)) throw new InvalidArgumentError(`Invalid parameter: \`${name}\``);
}
