import type { Feature, Handler, ServerContext } from 'nest-oauth2/features';

/** Creates a handler that responds with the URLs of all endpoints and with the request body. */
function echo(server: ServerContext): Handler {
  return {
    async handle(request, response) {
      const { issuer } = server.options;
      const urls = [...server.endpoints.keys()].map((id) => [id, server.urlOf(id, issuer)]);
      response.body = { at: Object.fromEntries(urls), sent: request.body ?? null };
    },
  };
}

/**
 * A feature of an application with four kinds of endpoints: with CORS, without CORS, for GET, and a well-known
 * document.
 */
export const ECHO_FEATURE: Feature = {
  id: 'echo',
  endpoints: {
    echo: { path: 'oauth/echo', methods: ['POST'], cors: true, make: echo },
    internal: { path: 'oauth/internal', methods: ['POST'], make: echo },
    status: { path: 'status', methods: ['GET', 'HEAD'], make: echo },
    document: { path: '/.well-known/document', methods: ['GET', 'HEAD'], cors: 'any', perIssuer: true, make: echo },
  },
};
