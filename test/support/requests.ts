import { createHash } from 'node:crypto';

import { OAuth2Server, OAuthError, Request, Response } from 'nest-oauth2/server';

import { CALLBACK, SECRET, type TestModel } from './model.js';

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

/** A request of the client `web`, which authenticates itself by the header. */
export function tokenRequest(body: Parameters, changes: Changes = {}): Request {
  const headers = { ...FORM, authorization: basic('web', SECRET) };
  return new Request({ method: 'POST', headers, query: {}, body, ...changes });
}

/** A request of a client that says nothing of itself but what is in the form. */
export function formRequest(body: Parameters, changes: Changes = {}): Request {
  return new Request({ method: 'POST', headers: FORM, query: {}, body, ...changes });
}

/** A request to a protected resource; `null` for one without the header. */
export function resourceRequest(authorization: unknown = 'Bearer access', changes: Changes = {}): Request {
  const headers = authorization === null ? {} : { authorization };
  return new Request({ method: 'GET', headers, query: {}, body: {}, ...changes });
}

/** A good authorization request of the client `web`; what is `undefined` in `query` is left out. */
export function authorizeRequest(query: Parameters = {}, changes: Changes = {}): Request {
  const defaults = {
    response_type: 'code',
    client_id: 'web',
    redirect_uri: CALLBACK,
    scope: 'read',
    state: 'xyz',
    ...query,
  };
  const given = Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
  return new Request({ method: 'GET', headers: {}, query: given, body: {}, ...changes });
}

/** Alice is signed in. */
export const signedIn = { authenticateHandler: { handle: () => ({ id: 'alice' }) } };

export type Operation = 'authenticate' | 'authorize' | 'token';

/** What came of a request: the result or the error, and what is sent. */
export interface Outcome {
  result: Parameters | undefined;
  error: OAuthError | undefined;
  response: Response;
  status: number;
  headers: Record<string, string>;
  body: Parameters;
  /** The parameters of the redirect, if there is one, in its query or its fragment. */
  redirected: Parameters;
}

type Target = OAuth2Server | TestModel;

/** Lets a server, or a new server for a host, answer. */
export async function runOperation(
  target: Target,
  operation: Operation,
  request: Request,
  given?: object,
): Promise<Outcome> {
  // An issuer is that of the server as a whole.
  const { issuer, ...rest } = (given ?? {}) as { issuer?: string };
  const options = issuer === undefined ? given : rest;
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

/** An error as the catalogue has it. */
export const summary = (error: OAuthError | undefined): string =>
  error === undefined ? 'no error' : `${error.code} ${error.name}: ${error.message}`;
