import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';

const logger = new Logger('OAuth2');

/** The features of the endpoints, by the last segment of their default paths. */
const FEATURES: Readonly<Record<string, string>> = {
  backchannel_authentication: 'ciba()',
  device: 'pages({ devices: true })',
  device_authorization: 'deviceAuthorization()',
  introspect: 'introspection()',
  jwks: 'keys()',
  'oauth-authorization-server': 'serverMetadata()',
  'openid-configuration': 'openid()',
  par: 'pushedRequests()',
  register: 'registration()',
  revoke: 'revocation()',
  userinfo: 'openid()',
};

/** The paths of one server of the application. */
interface ServerPaths {
  /** `undefined` for the default server. */
  readonly name: string | undefined;
  /** The complete paths of the server's endpoints. Those of tenants have parameters, such as `/:tenant/oauth/token`. */
  readonly paths: readonly string[];
}

/** The OAuth servers of each HTTP server, in one list so that a request is explained once. */
const serversOf = new WeakMap<Server, ServerPaths[]>();

/**
 * Logs which feature an endpoint belongs to, or which path it has, if a request for it got 404. Each explanation of a
 * name is logged once. With `NODE_ENV=production`, this does nothing.
 */
export function explainMissingEndpoints(http: Server, server: ServerPaths): void {
  if (process.env['NODE_ENV'] === 'production') return;
  const servers = serversOf.get(http) ?? [];
  servers.push(server);
  if (servers.length > 1) return;
  serversOf.set(http, servers);
  const explained = new Set<string>();
  // Express changes the URL of the request while it looks for a route.
  http.prependListener('request', ({ method, url = '' }, reply) => {
    const path = url.split('?', 1)[0]!;
    reply.once('finish', () => {
      const explanation = reply.statusCode === 404 ? explain(path, servers) : undefined;
      const key = `${path.split('/').at(-1)} ${explanation}`;
      if (explanation === undefined || explained.has(key)) return;
      explained.add(key);
      logger.log(`${method} ${path} got 404: ${explanation}.`);
    });
  });
}

/** Returns the path of an endpoint, or the feature that it belongs to, as a clause. */
function explain(path: string, servers: readonly ServerPaths[]): string | undefined {
  const [directory, name] = path.split('/').slice(-2);
  if (!name || servers.some(({ paths }) => paths.some((one) => matches(path, one)))) return undefined;
  const inDirectory = servers.filter(({ paths }) => paths.some((one) => matches(parentOf(path), parentOf(one))));
  const candidates = inDirectory.length > 0 ? inDirectory : servers.filter((one) => usesDirectory(one, directory));
  if (candidates.length === 0) return undefined;
  const own = candidates.flatMap(({ paths }) => paths.filter((one) => one.endsWith(`/${name}`)).slice(0, 1));
  if (own.length > 0) return `the endpoint is at ${own.join(' or at ')}`;
  const feature = Object.hasOwn(FEATURES, name) ? FEATURES[name] : undefined;
  const [only] = candidates.length === 1 ? candidates : [];
  const owner = only?.name === undefined ? '' : ` of the server \`${only.name}\``;
  return feature && `the endpoint belongs to \`${feature}\`, which is missing in \`features\`${owner}`;
}

/** Whether a path is that of a route, which may have parameters. */
function matches(path: string, route: string): boolean {
  const segments = path.split('/');
  const expected = route.split('/');
  return (
    segments.length === expected.length && expected.every((one, at) => one === segments[at] || one.startsWith(':'))
  );
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

/** Whether paths of endpoints of a server usually end with this directory and a name. */
const usesDirectory = ({ paths }: ServerPaths, directory: string | undefined) =>
  directory === 'oauth' || directory === '.well-known' || paths.some((one) => one.split('/').at(-2) === directory);
