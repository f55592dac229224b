const REGISTER = 'register the redirect URI exactly as the client sends it (`redirectUris`)';

/**
 * Differences between redirect URIs that developers overlook. Each has a hint, and a function that makes two URIs equal
 * if they differ only in this way.
 */
const DIFFERENCES: readonly (readonly [hint: string, normalize: (uri: URL) => void])[] = [
  [
    '`localhost` and `127.0.0.1` are different hosts',
    (uri) => (uri.hostname = uri.hostname.replace(LOCAL, 'localhost')),
  ],
  ['the schemes `http` and `https` differ', (uri) => (uri.protocol = 'https:')],
  ['a trailing slash makes a difference', (uri) => (uri.pathname = uri.pathname.replace(/\/$/, ''))],
  ['the port must be the same', (uri) => (uri.port = '')],
  ['the query string must be the same', (uri) => (uri.search = '')],
  ['upper and lower case make a difference', (uri) => (uri.pathname = uri.pathname.toLowerCase())],
];

const LOCAL = /^(?:127\.0\.0\.1|\[::1\])$/;
/** Longer URIs are not compared in detail: the text comes from an unauthenticated client. */
const MAX_LENGTH = 500;
const MAX_URIS = 20;

/**
 * Returns how to fix a redirect URI that is not registered, with a hint if a registered one is similar. For the log
 * only.
 */
export function redirectRemedy(requested: string, registered: readonly unknown[]): string {
  if (registered.length === 0) return 'the client has no `redirectUris`: register them';
  if (requested.length > MAX_LENGTH || !URL.canParse(requested)) return REGISTER;
  const similar = registered
    .slice(0, MAX_URIS)
    .filter((uri): uri is string => typeof uri === 'string' && uri.length <= MAX_LENGTH && URL.canParse(uri));
  for (const [hint, normalize] of DIFFERENCES) {
    const without = (uri: string) => {
      const parsed = new URL(uri);
      normalize(parsed);
      return parsed.href;
    };
    if (similar.some((uri) => without(uri) === without(requested))) return `${REGISTER}: ${hint}`;
  }
  return REGISTER;
}
