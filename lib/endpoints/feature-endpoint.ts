import { InvalidRequestError, type OAuthError, toOAuthError } from '../errors/index.js';
import type { OAuth2EventName } from '../events/catalog.js';
import { type EventDetails, refusalEventName, reportRefusal } from '../events/events.js';
import { wireCode } from '../http/error-response.js';
import { isObject } from '../http/is-object.js';
import { isForm, mediaType } from '../http/media-type.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { CorsOptions } from '../options/cors.js';
import { allowOrigin } from './cross-origin.js';
import { Operation, respondWithError, verifyRequestAndResponse } from './operation.js';

/** How the refusal of a request is reported. */
interface Refusal {
  /** The scheme of the challenge that a 401 response gets if it has none. If omitted, it gets none. RFC 9110 §11.6.1 */
  readonly scheme?: 'Basic' | 'Bearer';
  /** The name of the event. Default: that of the endpoint. */
  readonly name?: OAuth2EventName;
  /** Returns the payload of the event. If omitted, no event is emitted. */
  readonly details?: () => EventDetails;
}

/**
 * The base class of endpoints that no cache may store. It writes the headers of every response and all errors. Endpoints
 * of features extend `BackChannelEndpoint` if clients call them with their credentials, `ProtectedEndpoint` if they are
 * called with an access token, and this class otherwise.
 */
export abstract class FeatureEndpoint<Result> extends Operation<Result> {
  /** The ID of the endpoint: its key in `endpoints` of the feature. Events and the log contain it. */
  protected abstract readonly id: string;

  /**
   * Writes the headers of every response: it must not be cached, and pages of the origins in the option `cors` may read
   * it if the endpoint allows that.
   * @returns The option `cors`, or `undefined` if pages of other origins may not call the endpoint.
   * @throws {InvalidArgumentError} If `request` or `response` is not an instance of the library's class.
   */
  protected prepare(request: Request, response: Response): CorsOptions | undefined {
    verifyRequestAndResponse(request, response);
    response.headers['cache-control'] = 'no-store';
    response.headers['pragma'] = 'no-cache';
    const { cors } = this.options;
    if (!cors || !this.server.endpoints.get(this.id)?.cors) return undefined;
    allowOrigin(request, response, cors);
    return cors;
  }

  /**
   * Verifies that the body of a request has the format of the endpoint: a form, or a JSON object.
   * @throws {InvalidRequestError} If it has another one.
   */
  protected verifyContent(request: Request): void {
    const type = request.get('content-type');
    if (this.server.endpoints.get(this.id)?.content !== 'json') {
      if (isForm(type)) return;
      throw new InvalidRequestError('Invalid request: content must be application/x-www-form-urlencoded');
    }
    if (mediaType(type) !== 'application/json')
      throw new InvalidRequestError('Invalid request: content must be application/json');
    if (!isObject(request.body)) throw new InvalidRequestError('Invalid request: content must be a JSON object');
  }

  /**
   * Writes the response to a request that fails: status, JSON body, `Retry-After` and challenge. Emits the event of a
   * refusal. All endpoints of features report errors by this method. RFC 6749 §5.2
   * @returns The error to throw.
   */
  protected fail(response: Response, error: unknown, { scheme, name, details }: Refusal): OAuthError {
    const failure = respondWithError(response, toOAuthError(error));
    if (failure.code === 401 && scheme)
      response.headers['www-authenticate'] ??= `${scheme} realm="Service", error="${wireCode(failure)}"`;
    if (details) reportRefusal(this.options.events, name ?? refusalEventName(this.id), failure, details);
    return failure;
  }
}
