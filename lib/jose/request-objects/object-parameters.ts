import { InvalidRequestObjectError } from '../../errors/index.js';
import { Request } from '../../http/request.js';

/** What makes it a JWT, and is no parameter. RFC 7519 §4.1 */
const JWT_CLAIMS = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', '__proto__']);

/** What a request object must not have: another one, and what proves who the client is elsewhere. RFC 9101 §4, §10.8 */
const FORBIDDEN_CLAIMS = [
  'request',
  'request_uri',
  'sub',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
];

/**
 * The authorization request that a request object is, for the browser that brings it: nothing that stands beside it counts but
 * the client. RFC 9101 §5
 */
export function objectRequest(claims: Readonly<Record<string, unknown>>, clientId: string, from: Request): Request {
  const wrong = FORBIDDEN_CLAIMS.find((name) => Object.hasOwn(claims, name));
  if (wrong !== undefined)
    throw invalidRequestObject('it is a request, and neither names another one nor proves its client', wrong);
  const named = claims['client_id'];
  if (named !== undefined && named !== clientId)
    throw invalidRequestObject('its `client_id` is that of the request', named);
  const parameters = Object.entries(claims).filter(([name]) => !JWT_CLAIMS.has(name));
  const query = {
    ...Object.fromEntries(parameters.map(([name, value]) => [name, parameterOf(value)])),
    client_id: clientId,
  };
  return new Request({ headers: from.headers, method: 'GET', query, native: from['native'] as unknown });
}

/** A claim as it would stand in a form: numbers in digits, what has parts as JSON. RFC 9101 §4 */
function parameterOf(value: unknown): string | readonly string[] | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one): one is string => typeof one === 'string')) return value;
  return typeof value === 'object' ? jsonOf(value) : String(value);
}

/** What is nested without end can be read, but not written. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) throw invalidRequestObject('it is not nested without end');
    throw error;
  }
}

/** What is wrong with a request object, only the operator hears. RFC 9101 §7 */
export const invalidRequestObject = (reason: string, given?: unknown) =>
  new InvalidRequestObjectError('Invalid request object: it is not accepted').because({
    reason,
    // What is an object may not even be made text of.
    ...(given !== undefined && { given: typeof given === 'object' ? typeof given : String(given).slice(0, 200) }),
  });
