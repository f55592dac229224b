import { type OAuth2Server, OAuthError, type Request, Response } from 'nest-oauth2/server';

/** Calls an endpoint of a feature. Returns the response and, if the endpoint rejected the request, the error. */
export async function callEndpoint(server: OAuth2Server, endpoint: string, request: Request) {
  const response = new Response();
  let error: OAuthError | undefined;
  try {
    await server.handle(endpoint, request, response);
  } catch (caught) {
    if (!(caught instanceof OAuthError)) throw caught;
    error = caught;
  }
  const { status, headers, body } = response;
  return { error, status, headers, body: body as Record<string, unknown> };
}
