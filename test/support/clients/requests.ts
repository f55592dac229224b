import { createHash } from 'node:crypto';

import { OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';

import { CALLBACK, SECRET, type TestModel } from '../models/model.js';

export const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
export const VERIFIER = 'verifier-of-43-characters-or-more-0123456789';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

type Parameters = Record<string, unknown>;

interface Changes {
  method?: string;
  headers?: Parameters;
  query?: Parameters;
  body?: unknown;
}

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** Returns a token request of the client `web`, which authenticates with HTTP Basic authentication. */
export function tokenRequest(body: Parameters, changes: Changes = {}): Request {
  const headers = { ...FORM, authorization: basic('web', SECRET) };
  return new Request({ method: 'POST', headers, query: {}, body, ...changes });
}

/** Returns a token request without an `Authorization` header. Client credentials, if any, are form parameters. */
export function formRequest(body: Parameters, changes: Changes = {}): Request {
  return new Request({ method: 'POST', headers: FORM, query: {}, body, ...changes });
}

/**
 * Returns a request to a protected resource. If `authorization` is `null`, the request has no `Authorization` header.
 */
export function resourceRequest(authorization: unknown = 'Bearer access', changes: Changes = {}): Request {
  const headers = authorization === null ? {} : { authorization };
  return new Request({ method: 'GET', headers, query: {}, body: {}, ...changes });
}

/** Returns a valid authorization request of the client `web`. A parameter that is `undefined` in `query` is omitted. */
export function authorizeRequest(query: Parameters = {}, changes: Changes = {}): Request {
  const defaults = {
    response_type: 'code',
    client_id: 'web',
    redirect_uri: CALLBACK,
    scope: 'read',
    state: 'xyz',
    ...query,
  };
  const parameters = Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
  return new Request({ method: 'GET', headers: {}, query: parameters, body: {}, ...changes });
}

/** Options of the authorization endpoint that sign Alice in. */
export const signedIn = { authenticateHandler: { handle: () => ({ id: 'alice' }) } };

export type Operation = 'authenticate' | 'authorize' | 'token';

/** The outcome of a request: the result or the error, and the response. */
export interface Outcome {
  result: Parameters | undefined;
  error: OAuthError | undefined;
  response: Response;
  status: number;
  headers: Record<string, string>;
  body: Parameters;
  /** The redirect parameters in the query or fragment. Empty if the response is not a redirect. */
  redirected: Parameters;
}

type Target = OAuth2Server | TestModel;

/** Calls an operation of a server, or of a new server with the given model. */
export async function runOperation(
  target: Target,
  operation: Operation,
  request: Request,
  operationOptions?: object,
): Promise<Outcome> {
  // `issuer` is an option of the server, not of an operation.
  const { issuer, ...rest } = (operationOptions ?? {}) as { issuer?: string };
  const options = issuer === undefined ? operationOptions : rest;
  const server =
    target instanceof OAuth2Server ? target : new OAuth2Server({ model: target.model, ...(issuer && { issuer }) });
  const response = new Response();
  let result: Parameters | undefined;
  let error: OAuthError | undefined;
  try {
    result = (await server[operation](request, response, options)) as unknown as Parameters;
  } catch (caught) {
    if (!(caught instanceof OAuthError)) throw caught;
    error = caught;
  }
  const { status, headers, body } = response;
  return { result, error, response, status, headers, body, redirected: parametersOf(response.get('location')) };
}

function parametersOf(location: string | undefined): Parameters {
  if (location === undefined) return {};
  const { hash, search } = new URL(location);
  return Object.fromEntries(new URLSearchParams(hash ? hash.slice(1) : search));
}

/** Formats an error as one line: status, code and message. */
export const summary = (error: OAuthError | undefined): string =>
  error === undefined ? 'no error' : `${error.code} ${error.name}: ${error.message}`;
