import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { InvalidClientError, InvalidRequestError, type RefusalDetail } from '../../errors/index.js';
import type { PresentedCredentials } from '../../contracts/client-authentication.js';
import type { Parameters } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';

/** The required value of `client_assertion_type`. RFC 7523 §2.2 */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Maximum number of characters of a client assertion. */
const MAX_ASSERTION_LENGTH = 8192;

/** Returns the error for an invalid client assertion. The details are logged but not sent to the client. */
export const invalidAssertion = (detail: RefusalDetail) =>
  new InvalidClientError('Invalid client: the client assertion is not accepted').because(detail);

/** Whether a request contains a client assertion or its type. */
export const hasAssertion = ({ body }: Request): boolean =>
  Boolean(body?.client_assertion || body?.client_assertion_type);

/**
 * Whether the client assertion of a request is signed with a shared secret. It then belongs to the method
 * `client_secret_jwt`. OpenID Connect Core §9
 */
export function isSymmetric({ body }: Request): boolean {
  try {
    return decodeProtectedHeader(body.client_assertion as string).alg!.startsWith('HS');
  } catch {
    return false;
  }
}

/**
 * Returns the client assertion of a request and the unverified client ID in it, or `undefined` if the request has
 * neither an assertion nor its type. RFC 7521 §4.2
 * @throws {InvalidRequestError} If a parameter is missing or invalid.
 * @throws {InvalidClientError} If the assertion cannot be read.
 */
export function readAssertion(parameters: Parameters): PresentedCredentials | undefined {
  const type = parameters.optional('client_assertion_type', () => true);
  const assertion = parameters.optional('client_assertion', () => true);
  if (type === undefined && assertion === undefined) return undefined;
  if (type !== ASSERTION_TYPE) {
    const name = '`client_assertion_type`';
    throw new InvalidRequestError(type === undefined ? `Missing parameter: ${name}` : `Invalid parameter: ${name}`);
  }
  if (assertion === undefined) throw new InvalidRequestError('Missing parameter: `client_assertion`');
  return { id: claimedSubject(assertion), assertion: assertion };
}

/**
 * Returns the unverified `sub` of an assertion. Use it only to find the client.
 * @throws {InvalidClientError} If the assertion cannot be read.
 */
function claimedSubject(assertion: string): string {
  const { sub } = assertion.length > MAX_ASSERTION_LENGTH ? {} : decodeClaims(assertion);
  if (typeof sub === 'string' && sub !== '') return sub;
  throw invalidAssertion({
    reason: `client assertion is not a JWT of at most ${MAX_ASSERTION_LENGTH} characters with the client as \`sub\``,
  });
}

function decodeClaims(assertion: string): JWTPayload {
  try {
    return decodeJwt(assertion);
  } catch {
    return {};
  }
}
