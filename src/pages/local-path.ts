import type { Request, ServerContext } from '../../lib/index.js';

const HERE = 'http://here.invalid';

/** A path on this server; undefined for anything else: what arrives in a link must not decide where a user is sent. RFC 9700 §4.11.2 */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, HERE)) return undefined;
  const { origin, pathname, search } = new URL(value, HERE);
  return origin === HERE && !pathname.startsWith('//') ? pathname + search : undefined;
}

/** Where one of the server's own endpoints is, as browsers see it, with what it is to know. */
export function pathOf(
  server: ServerContext,
  endpoint: string,
  { request, query = {} }: { request?: Request; query?: Readonly<Record<string, string | undefined>> },
): string {
  const issuer = (request && server.issuerOf(request)) ?? server.options.issuer ?? HERE;
  return withQuery(new URL(server.urlOf(endpoint, issuer)!).pathname, query);
}

/** A path with a query, if there is anything to say in it. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(given).toString()}`;
}
