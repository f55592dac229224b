import { InvalidRequestObjectError } from '../../errors/index.js';
import { Request } from '../../http/request.js';

/** The claims of a request object that belong to the JWT and are not request parameters. RFC 7519 §4.1 */
const JWT_CLAIMS = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', '__proto__']);

/**
 * The claims that a request object must not contain: references to another request object, and credentials of the
 * client. RFC 9101 §4, §10.8
 */
const FORBIDDEN_CLAIMS = [
  'request',
  'request_uri',
  'sub',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
];

/**
 * Returns the authorization request that a request object contains. Parameters outside the request object are ignored,
 * except `client_id`. RFC 9101 §5
 * @throws {InvalidRequestObjectError} If it contains a forbidden claim, or another `client_id`.
 */
export function objectRequest(claims: Readonly<Record<string, unknown>>, clientId: string, from: Request): Request {
  const forbidden = FORBIDDEN_CLAIMS.find((name) => Object.hasOwn(claims, name));
  if (forbidden !== undefined) throw invalidRequestObject('request object contains a forbidden claim', forbidden);
  const claimedId = claims['client_id'];
  if (claimedId !== undefined && claimedId !== clientId)
    throw invalidRequestObject('`client_id` of the request object differs from that of the request', claimedId);
  const parameters = Object.entries(claims).filter(([name]) => !JWT_CLAIMS.has(name));
  const query = {
    ...Object.fromEntries(parameters.map(([name, value]) => [name, parameterOf(value)])),
    client_id: clientId,
  };
  return new Request({ headers: from.headers, method: 'GET', query, native: from['native'] as unknown });
}

/** Returns the value of a claim in the form of a request parameter: numbers as digits, objects as JSON. RFC 9101 §4 */
function parameterOf(value: unknown): string | readonly string[] | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one): one is string => typeof one === 'string')) return value;
  return typeof value === 'object' ? jsonOf(value) : String(value);
}

/**
 * Returns an object as JSON. A deeply nested object can be parsed, but exceeds the stack when it is serialized.
 * @throws {InvalidRequestObjectError} If the object is nested too deeply.
 */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) throw invalidRequestObject('request object is nested too deeply');
    throw error;
  }
}

/** Returns the error for an invalid request object. The reason is logged but not sent to the client. RFC 9101 §7 */
export const invalidRequestObject = (reason: string, given?: unknown) =>
  new InvalidRequestObjectError('Invalid request object: it is not accepted').because({
    reason,
    // An object may not be convertible to text, so log only its type.
    ...(given !== undefined && { given: typeof given === 'object' ? typeof given : String(given).slice(0, 200) }),
  });
