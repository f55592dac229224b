import type { Request, ServerContext } from '../../lib/index.js';

const HERE = 'http://here.invalid';

/** Maximum length of a path. Node.js rejects requests with longer headers, and links in e-mails store the path. */
const MAX_LENGTH = 16_000;

/**
 * Returns the path and query of a URL on this server, or `undefined` for any other value. It prevents open redirects by
 * links. RFC 9700 §4.11.2
 */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.startsWith('/')) return undefined;
  if (!URL.canParse(value, HERE)) return undefined;
  const { origin, pathname, search } = new URL(value, HERE);
  return origin === HERE && !pathname.startsWith('//') ? pathname + search : undefined;
}

/** Returns the path of an endpoint of this server, as browsers see it, with a query. */
export function pathOf(
  server: ServerContext,
  endpoint: string,
  { request, query = {} }: { request?: Request; query?: Readonly<Record<string, string | undefined>> },
): string {
  const issuer = (request && server.issuerOf(request)) ?? server.options.issuer ?? HERE;
  return withQuery(new URL(server.urlOf(endpoint, issuer)!).pathname, query);
}

/** Adds a query to a path. Members that are `undefined` are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return entries.length === 0
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(entries).toString()}`;
}
