import type { Feature, Handler, ServerContext } from 'nest-oauth2/features';

/** Answers with where the endpoints are, and with what was posted. */
function echo(server: ServerContext): Handler {
  return {
    async handle(request, response) {
      const { issuer } = server.options;
      const urls = [...server.endpoints.keys()].map((id) => [id, server.urlOf(id, issuer)]);
      response.body = { at: Object.fromEntries(urls), sent: request.body ?? null };
    },
  };
}

/** A feature of a host, with an endpoint of every kind. */
export const ECHO_FEATURE: Feature = {
  id: 'echo',
  endpoints: {
    echo: { path: 'oauth/echo', methods: ['POST'], cors: true, make: echo },
    internal: { path: 'oauth/internal', methods: ['POST'], make: echo },
    status: { path: 'status', methods: ['GET', 'HEAD'], make: echo },
    document: { path: '/.well-known/document', methods: ['GET', 'HEAD'], cors: 'any', perIssuer: true, make: echo },
  },
};
