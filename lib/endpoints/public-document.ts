import { InvalidRequestError, toOAuthError } from '../errors/index.js';
import type { Endpoint, ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable } from '../model/model.js';
import { respondWithError, verifyRequestAndResponse } from './operation.js';
import { allowAnyOrigin } from './cross-origin.js';

/** A function that builds the JSON document that an issuer publishes. */
type BuildDocument = (server: ServerContext, issuer: string | undefined) => Awaitable<object>;

const METHODS = ['GET', 'HEAD'];

/**
 * Returns the endpoint of a public JSON document, such as metadata. Pages of any origin may read it, and it may be
 * cached for `maxAge` seconds. RFC 8615 §3
 */
export function publicDocument(
  path: string,
  {
    maxAge,
    perIssuer = false,
    resource,
    build,
  }: { maxAge: number; perIssuer?: boolean; resource?: string | undefined; build: BuildDocument },
): Endpoint {
  return {
    path,
    methods: METHODS,
    cors: 'any',
    perIssuer,
    ...(resource !== undefined && { resource }),
    make: (server) => new PublicDocument(server, maxAge, build),
  };
}

class PublicDocument implements Handler {
  constructor(
    private readonly server: ServerContext,
    private readonly maxAge: number,
    private readonly build: BuildDocument,
  ) {}

  async handle(request: Request, response: Response): Promise<object> {
    verifyRequestAndResponse(request, response);
    allowAnyOrigin(response);
    try {
      if (!METHODS.includes(request.method)) {
        throw new InvalidRequestError('Invalid request: method must be GET or HEAD', { code: 405 });
      }
      const { server } = this;
      const document = await this.build(server, server.issuerOf(request));
      response.headers['cache-control'] = `public, max-age=${this.maxAge}`;
      response.headers['content-type'] = 'application/json';
      response.body = document;
      return document;
    } catch (error) {
      throw respondWithError(response, toOAuthError(error));
    }
  }
}
