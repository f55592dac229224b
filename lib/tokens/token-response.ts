import { InvalidArgumentError } from '../errors.js';
import type { Token } from '../model/model.js';
import { scopeText } from './scope.js';

/** Properties of a saved token that are ours, not the host's: they are sent under their own names or not at all. */
const OWN = new Set([
  'accessToken',
  'accessTokenExpiresAt',
  'authorizationCode',
  'client',
  'code',
  'codeChallenge',
  'codeChallengeMethod',
  'grantId',
  'grantedAt',
  'refreshToken',
  'refreshTokenExpiresAt',
  'refreshTokenScope',
  'revokedAt',
  'revokedAgo',
  'scope',
  'successor',
  'user',
]);
const SECRET = /secret|password|__proto__/i;

/** The body of a token response. RFC 6749 §5.1 */
export function tokenResponse(token: Token, allowExtendedTokenAttributes = false): Record<string, unknown> {
  verifySaved(token);
  const body: Record<string, unknown> = { access_token: token.accessToken, token_type: 'Bearer' };
  const expiresIn = secondsLeft(token.accessTokenExpiresAt);
  const scope = scopeText(token.scope);
  if (expiresIn) body['expires_in'] = expiresIn;
  if (token.refreshToken) body['refresh_token'] = token.refreshToken;
  if (scope) body['scope'] = scope;
  if (allowExtendedTokenAttributes) addAttributes(body, token);
  return body;
}

function secondsLeft(expiresAt: Date | undefined): number {
  const seconds = expiresAt ? Math.floor((expiresAt.getTime() - Date.now()) / 1000) : 0;
  return seconds > 0 ? seconds : 0;
}

/** Members the protocol defines are never the host's to set, sent or not. */
const PROTOCOL = new Set(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'error']);

function addAttributes(body: Record<string, unknown>, token: Token): void {
  for (const [name, value] of Object.entries(token)) {
    if (OWN.has(name) || PROTOCOL.has(name) || SECRET.test(name) || typeof value === 'function') continue;
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
