import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { requiredScope, user } from '../fixtures.js';

export const title = 'nest-oauth2';

export function create(model) {
  const server = new OAuth2Server({ model, authenticateHandler: { handle: async () => user } });
  const guardOptions = { scope: requiredScope };

  return {
    authenticate: (raw) => answer(raw, (request, response) => server.authenticate(request, response, guardOptions)),
    token: (raw) => answer(raw, (request, response) => server.token(request, response)),
    authorize: (raw) => answer(raw, (request, response) => server.authorize(request, response)),
  };
}

/** Runs an operation and returns its response. */
export async function answer(raw, operation) {
  const response = new Response();
  try {
    await operation(new Request(raw), response);
  } catch {
    // The response is already complete.
  }
  return response;
}
