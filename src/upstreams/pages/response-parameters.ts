import { tryParseJson } from '../../../lib/internal.js';
import type { PageCall } from '../../pages/toolkit/page-call.js';
import { isObject } from '../../configuration/is-object.js';
import { Attempts } from '../attempts.js';

/** The parameters of an authorization response. RFC 6749 §4.1.2, RFC 9207 §2 */
export type ResponseParameters = Readonly<Partial<Record<ResponseParameter, string>>>;

const PARAMETERS = ['code', 'state', 'iss', 'error', 'user'] as const;

type ResponseParameter = (typeof PARAMETERS)[number];

/** Maximum length of a parameter. Codes of Entra ID have up to 2,000 characters. */
const MAX_LENGTH = 4096;

/** Returns the parameters of a form post. Repeated and very long ones are left out. */
export function readForm(body: unknown): ResponseParameters {
  const values = (body ?? {}) as Readonly<Record<string, unknown>>;
  const entries = PARAMETERS.map((name) => [name, values[name]] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [ResponseParameter, string] => {
      const [, value] = entry;
      return typeof value === 'string' && value.length <= MAX_LENGTH;
    }),
  );
}

/**
 * Returns the parameters of an authorization response from the URL, or from the form that was redirected to it.
 * `undefined` if the form was modified or expired.
 */
export function readResponse({ server, request, response }: PageCall): ResponseParameters | undefined {
  const { form } = request.query as { form?: unknown };
  if (form === undefined) {
    const { user: _user, ...parameters } = readForm(request.query);
    return parameters;
  }
  return typeof form === 'string' ? new Attempts(server, request, response).decryptForm(form) : undefined;
}

/** Returns the redirect URI with the parameters of the response. */
export function responseUrl(call: PageCall, { user: _user, ...parameters }: ResponseParameters): URL {
  const { server, request, endpoint } = call;
  const url = new URL(server.urlOf(endpoint, server.issuerOf(request))!);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** Returns the name that Apple sends with the first sign-in. It is not signed, so it is for display only. */
export function givenNameOf({ user }: ResponseParameters): string | undefined {
  const parsed = user === undefined ? undefined : tryParseJson(user);
  const name = isObject(parsed) && isObject(parsed['name']) ? parsed['name'] : {};
  const parts = [name['firstName'], name['lastName']].filter((part) => typeof part === 'string' && part !== '');
  return parts.length > 0 ? parts.join(' ') : undefined;
}
