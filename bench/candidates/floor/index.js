import { requiredScope } from '../../fixtures.js';
import { authorizationEndpoint } from './authorization-endpoint.js';
import { isAlive, Refusal } from './checks.js';
import { tokenEndpoint } from './token-endpoint.js';

export const title = 'floor: hand-written, checks only';

/**
 * The checks that a careful programmer would write for this one application, without options, wrappers and extension
 * points. It is a lower bound for the time of a library.
 */
export function create(model) {
  const token = tokenEndpoint(model);
  const authorize = authorizationEndpoint(model);

  return {
    authenticate: (raw) => answered(authenticate(model, raw)),
    token: (raw) => answered(token(raw)),
    authorize: (raw) => answered(authorize(raw)),
  };
}

const BEARER = /^Bearer ([\w\-.~+/]+=*)$/i;

async function authenticate(model, { headers, query, body }) {
  if (query.access_token !== undefined || body.access_token !== undefined) throw new Refusal(400, 'invalid_request');
  if (headers.authorization === undefined) throw new Refusal(401, 'unauthorized_request');
  const match = BEARER.exec(headers.authorization);
  if (!match) throw new Refusal(400, 'invalid_request');
  const token = await model.getAccessToken(match[1]);
  if (!token?.user || !isAlive(token.accessTokenExpiresAt)) throw new Refusal(401, 'invalid_token');
  if (!(await model.verifyScope(token, requiredScope))) throw new Refusal(403, 'insufficient_scope');
  return {
    status: 200,
    headers: { 'x-accepted-oauth-scopes': requiredScope, 'x-oauth-scopes': token.scope },
    body: {},
  };
}

async function answered(operation) {
  try {
    return await operation;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message } = error;
    return {
      status,
      headers: { 'www-authenticate': `Bearer realm="Service",error="${message}"` },
      body: { error: message },
    };
  }
}
