import OAuth2Server from 'oauth2-server';
import { requiredScope, user } from '../fixtures.js';

const { Request, Response } = OAuth2Server;

export const title = 'oauth2-server 3.1.1';
export const peer = true;
/** Unsupported features: this library ignores the PKCE verifier. */
export const lacks = ['pkce'];

export function create(model) {
  const server = new OAuth2Server({ model, authenticateHandler: { handle: async () => user } });
  const guardOptions = { scope: requiredScope };

  return {
    authenticate: (raw) => answer(raw, (request, response) => server.authenticate(request, response, guardOptions)),
    token: (raw) => answer(raw, (request, response) => server.token(request, response)),
    authorize: (raw) => answer(raw, (request, response) => server.authorize(request, response)),
  };
}

async function answer(raw, operation) {
  const response = new Response({ headers: {} });
  try {
    await operation(new Request(raw), response);
  } catch (error) {
    // Bearer errors do not set the status of the response: an application must use the status of the error.
    if (response.status !== 302) response.status = error.code;
  }
  return response;
}
