import type { ServerContext } from '../../contracts/feature.js';
import { InvalidRequestError, UnauthorizedRequestError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { Awaitable, Token } from '../../model/model.js';
import { type Options, resolveOptions } from '../../options/resolve-options.js';
import { FeatureEndpoint } from '../feature-endpoint.js';
import { AuthenticateOperation } from './authenticate.js';
import { rejectRequest, reportAccessRefusal } from './refusal.js';

/** A request at an endpoint of a feature, with a valid access token. */
export interface ProtectedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly token: Token;
  /** The parsed body: the members of the JSON object, or the fields of the form. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly options: Options;
  readonly server: ServerContext;
}

/** Methods whose requests have no body. */
const WITHOUT_CONTENT = ['GET', 'HEAD', 'DELETE'];

/**
 * The base class of endpoints of features that are called with an access token, such as userinfo. It verifies the token,
 * the method and a JSON body, and writes a response that must not be cached. RFC 6750
 */
export abstract class ProtectedEndpoint<Result> extends FeatureEndpoint<Result> {
  /** The scope that the token must have. `undefined` accepts any scope. */
  protected readonly scope: string | undefined = undefined;
  private authenticator: AuthenticateOperation | undefined;

  /** Processes a request with a valid token, and returns the result. An error rejects the request. */
  protected abstract serve(request: ProtectedRequest): Awaitable<Result>;
  /** Builds the response body. A string is sent with the `Content-Type` already set on the response. */
  protected abstract bodyOf(result: Result, request: ProtectedRequest): object | string;

  async handle(request: Request, response: Response): Promise<Result> {
    this.prepare(request, response);
    const { options, server, scope } = this;
    let token: Token | undefined;
    try {
      token = await this.authenticate(request, response);
      this.verifyMethodAndContent(request);
      const content = (request.body ?? {}) as Record<string, unknown>;
      const protectedRequest = { request, response, token, content, options, server };
      const result = await this.serve(protectedRequest);
      response.body = this.bodyOf(result, protectedRequest);
      return result;
    } catch (error) {
      const failure = this.fail(response, error, {});
      // A request without a token gets only the challenge, without an error code. RFC 6750 §3.1
      if (failure instanceof UnauthorizedRequestError) response.body = {};
      // The authenticator has reported the refusal of the token itself, with its challenge.
      if (token) {
        if (failure.code === 401 || failure.code === 403)
          rejectRequest(response, failure, { request, options, server, scope });
        const refused = { token, required: scope, issuer: server.issuerOf(request), endpoint: this.id };
        reportAccessRefusal(options.events, failure, refused);
      }
      throw failure;
    }
  }

  private authenticate(request: Request, response: Response): Promise<Token> {
    const { options, server, scope } = this;
    this.authenticator ??= new AuthenticateOperation(
      resolveOptions(options, { scope, allowBearerTokensInQueryString: false } as object),
      server,
      this.id,
    );
    return this.authenticator.handle(request, response);
  }

  private verifyMethodAndContent(request: Request): void {
    const { methods, content } = this.server.endpoints.get(this.id) ?? { methods: [request.method] };
    const method = String(request.method).toUpperCase();
    if (!methods.includes(method))
      throw new InvalidRequestError(`Invalid request: method must be ${methods.join(' or ')}`, { code: 405 });
    if (content === 'json' && !WITHOUT_CONTENT.includes(method)) this.verifyContent(request);
  }
}
