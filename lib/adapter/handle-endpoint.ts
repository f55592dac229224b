import type { IncomingHttpHeaders } from 'node:http';
import { allowAnyOrigin, allowOrigin, respondToPreflight } from '../endpoints/cross-origin.js';
import { respondWithError } from '../endpoints/operation.js';
import { InvalidRequestError, type OAuthError, toOAuthError } from '../errors/index.js';
import { type EventSink, reportEndpointRefusal } from '../events/events.js';
import { Request } from '../http/request.js';
import { Response } from '../http/response.js';
import type { Endpoint } from '../contracts/feature.js';
import type { CorsOptions } from '../options/cors.js';
import { readContent } from './content.js';

/** An HTTP request as a web framework received it. */
export interface HttpMessage {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed content. If omitted, `handleEndpoint()` reads and parses the content of an `IncomingMessage`. */
  body?: unknown;
}

/** The endpoint that a request is sent to, and the server options that affect every response. */
export interface EndpointContext {
  /** The ID of the endpoint, such as `token`. */
  readonly name: string;
  readonly endpoint: Pick<Endpoint, 'methods' | 'cors' | 'content'>;
  readonly cors: CorsOptions | undefined;
  readonly events: EventSink | undefined;
}

/** The response to send, and the error if the request failed. */
export interface HandledRequest {
  readonly response: Response;
  readonly error?: OAuthError;
}

/**
 * Handles a request at an endpoint: responds to CORS preflight requests, verifies the method, reads the content, and
 * runs the operation. Every failure becomes a response, so it never rejects.
 * @param operation Writes the response. The content of the request has been read into `message.body` before.
 */
export async function handleEndpoint(
  message: HttpMessage,
  context: EndpointContext,
  operation: (response: Response) => Promise<unknown>,
): Promise<HandledRequest> {
  const { name, endpoint, events } = context;
  const { methods } = endpoint;
  let response = new Response();
  let error: OAuthError | undefined;
  try {
    const cors = endpoint.cors === 'any' ? endpoint.cors : endpoint.cors && context.cors;
    if (cors && isPreflight(message)) {
      respondToPreflight(requestOf(message), response, methods, cors);
    } else {
      verifyMethod(message, endpoint);
      await readContent(message, endpoint);
      await operation(response);
    }
  } catch (thrown) {
    error = toOAuthError(thrown);
    if (!isWritten(response)) {
      response = createErrorResponse(error);
      reportEndpointRefusal(events, { endpoint: name }, error);
    }
    if (response.status === 405) response.set('Allow', methods.join(', '));
  }
  addCorsHeaders(message, response, context);
  return { response, ...(error && { error }) };
}

/**
 * Whether a failed operation has already written its response: a body, a redirect or another status. A page with status
 * 200 may deliver an error to the client.
 */
const isWritten = (response: Response): boolean =>
  typeof response.body === 'string' || response.status !== 200 || response.get('location') !== undefined;

function verifyMethod(message: HttpMessage, { methods, cors }: EndpointContext['endpoint']): void {
  if (methods.includes(message.method)) return;
  const error = new InvalidRequestError(`Invalid request: method must be ${methods.join(' or ')}`, { code: 405 });
  if (!isPreflight(message)) throw error;
  const origin = String(message.headers.origin);
  throw error.because({
    reason: 'the request is the CORS preflight request of a page of another origin, and no other origin is allowed',
    given: origin,
    remedy: cors
      ? `set the option \`cors\`, such as \`cors: { origins: ['${origin}'] }\``
      : 'open this URL as a page of the browser: scripts of other origins may never call it',
  });
}

/**
 * Adds the CORS headers that allow pages of other origins to read the response, if the endpoint and the option `cors`
 * allow it. Fetch §3.2
 */
export function addCorsHeaders(
  message: HttpMessage,
  response: Response,
  { endpoint, cors }: Pick<EndpointContext, 'endpoint' | 'cors'>,
): void {
  if (endpoint.cors === 'any') allowAnyOrigin(response);
  // If the request reached the engine, the headers are already set.
  else if (endpoint.cors && cors && response.headers['vary'] === undefined) {
    allowOrigin(requestOf(message), response, cors);
  }
}

const requestOf = ({ headers, method }: HttpMessage): Request => new Request({ headers, method, query: {} });

/** Whether a request is a CORS preflight request. Fetch §3.2.2 */
export function isPreflight({ method, headers }: Pick<HttpMessage, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && 'origin' in headers && 'access-control-request-method' in headers;
}

/** Returns the response for a request that failed before it reached the engine. RFC 6749 §5.2 */
export function createErrorResponse(error: OAuthError): Response {
  const response = new Response({ headers: { pragma: 'no-cache' } });
  respondWithError(response, error);
  return response;
}

/**
 * Serializes the body of a response: a text unchanged, an object as JSON, for which it sets `Content-Type`. Returns
 * `undefined` for a redirect and for status 204.
 */
export function serializeBody(response: Response): string | undefined {
  if (response.get('location') !== undefined || response.status === 204) return undefined;
  if (typeof response.body === 'string') return response.body;
  response.set('content-type', 'application/json; charset=utf-8');
  return JSON.stringify(response.body);
}
