import { InvalidArgumentError } from '../errors/index.js';
import type { Token } from '../model/model.js';
import { scopeText } from './scope.js';
import { TOKEN_FIELDS } from './token-fields.js';

const SECRET = /secret|password|__proto__/i;

/** Additional members of a token response, and how to select them. */
interface ResponseExtras {
  /** Members that features add to the response. */
  responseMembers?: object;
  /**
   * Members that features store in tokens. If set, the other additional properties of the saved token are sent. If
   * omitted, no additional properties are sent.
   */
  storedMembers?: object | undefined;
  /** Whether the issued token is not an access token. The response then contains `token_type: N_A`. RFC 8693 §2.2.1 */
  isNotAccessToken?: boolean;
}

/**
 * Returns the body of a token response. RFC 6749 §5.1
 * @throws {InvalidArgumentError} If the saved token lacks a required property, or if an expiry is not a Date.
 */
export function tokenResponse(
  token: Token,
  { responseMembers, storedMembers, isNotAccessToken }: ResponseExtras = {},
): Record<string, unknown> {
  verifySaved(token);
  const body: Record<string, unknown> = { access_token: token.accessToken, token_type: 'Bearer' };
  const expiresIn = secondsLeft(token.accessTokenExpiresAt);
  const scope = scopeText(token.scope);
  if (expiresIn) body['expires_in'] = expiresIn;
  if (token.refreshToken) body['refresh_token'] = token.refreshToken;
  if (scope) body['scope'] = scope;
  if (storedMembers) addAttributes(body, token, storedMembers);
  for (const name in responseMembers) body[name] = (responseMembers as Record<string, unknown>)[name];
  if (isNotAccessToken) body['token_type'] = 'N_A';
  return body;
}

/**
 * Returns the seconds until a token expires, rounded to the nearest, so that a new token reports its configured
 * lifetime.
 */
function secondsLeft(expiresAt: Date | undefined): number {
  const seconds = expiresAt ? Math.round((expiresAt.getTime() - Date.now()) / 1000) : 0;
  return seconds > 0 ? seconds : 0;
}

/** Properties that a model may have copied from the authorization code. */
const CODE_FIELDS = new Set(['code', 'codeChallenge', 'codeChallengeMethod']);

/** Members of a token response that the protocol defines. Additional properties cannot replace them. */
const PROTOCOL = new Set(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'error']);

function addAttributes(body: Record<string, unknown>, token: Token, storedMembers: object): void {
  for (const [name, value] of Object.entries(token)) {
    if (TOKEN_FIELDS.has(name) || CODE_FIELDS.has(name) || PROTOCOL.has(name) || Object.hasOwn(storedMembers, name))
      continue;
    if (SECRET.test(name) || typeof value === 'function') continue;
    body[name] = value;
  }
}

/**
 * Verifies that a saved token is complete. The model or an extension grant returned it.
 * @throws {InvalidArgumentError} If a property is missing or not a Date.
 */
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
