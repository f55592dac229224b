import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { InvalidClientError, InvalidRequestError, type RefusalDetail } from '../../errors/index.js';
import type { PresentedCredentials } from '../../contracts/client-authentication.js';
import type { Parameters } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';

/** RFC 7523 §2.2 */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Characters of an assertion that are looked at. */
const MAX_ASSERTION_LENGTH = 8192;

/** An assertion that proves nothing: what is wrong with it, only the operator hears. */
export const invalidAssertion = (detail: RefusalDetail) =>
  new InvalidClientError('Invalid client: the client assertion is not accepted').because(detail);

/** Does a request bring an assertion, or anything of one? */
export const hasAssertion = ({ body }: Request): boolean =>
  Boolean(body?.client_assertion || body?.client_assertion_type);

/** Does its assertion say that it is signed by a secret, and by no key? Then it is of another method. OpenID Connect Core §9 */
export function isSymmetric({ body }: Request): boolean {
  const assertion: unknown = body?.client_assertion;
  if (typeof assertion !== 'string' || assertion.length > MAX_ASSERTION_LENGTH) return false;
  try {
    return decodeProtectedHeader(assertion).alg?.startsWith('HS') ?? false;
  } catch {
    return false;
  }
}

/** Whose the assertion of a request claims to be; undefined: it brings none. RFC 7521 §4.2 */
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

/** Only whom to ask about: it is not known yet whether any of it is true. */
function claimedSubject(assertion: string): string {
  const { sub } = assertion.length > MAX_ASSERTION_LENGTH ? {} : decodeClaims(assertion);
  if (typeof sub === 'string' && sub !== '') return sub;
  throw invalidAssertion({
    reason: `the assertion is a JWT of ${MAX_ASSERTION_LENGTH} characters at most whose \`sub\` is the client`,
  });
}

function decodeClaims(assertion: string): JWTPayload {
  try {
    return decodeJwt(assertion);
  } catch {
    return {};
  }
}
