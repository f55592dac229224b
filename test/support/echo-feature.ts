import type { Feature, Handler, ServerContext } from 'nest-oauth2/features';

/** Answers with where the endpoints are, and with what was posted. */
function telling(server: ServerContext): Handler {
  return {
    async handle(request, response) {
      const { issuer } = server.options;
      const at = [...server.endpoints.keys()].map((id) => [id, server.urlOf(id, issuer)]);
      response.body = { at: Object.fromEntries(at), sent: request.body ?? null };
    },
  };
}

/** A feature of a host, with an endpoint of every kind. */
export const ECHO_FEATURE: Feature = {
  id: 'telling',
  endpoints: {
    told: { path: 'oauth/told', methods: ['POST'], cors: true, make: telling },
    whispered: { path: 'oauth/whispered', methods: ['POST'], make: telling },
    heard: { path: 'ears', methods: ['GET', 'HEAD'], make: telling },
    known: { path: '/.well-known/known', methods: ['GET', 'HEAD'], cors: 'any', perIssuer: true, make: telling },
  },
};
