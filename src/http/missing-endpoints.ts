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

/**
 * Logs which feature an endpoint belongs to, or which path it has, if a request for it got 404. Each name of an
 * endpoint is explained once. With `NODE_ENV=production`, this does nothing.
 * @param paths the complete paths of the server's endpoints
 */
export function explainMissingEndpoints(http: Server, paths: readonly string[]): void {
  if (process.env['NODE_ENV'] === 'production') return;
  const directories = new Set(['oauth', '.well-known', ...paths.map((one) => one.split('/').at(-2))]);
  const explained = new Set<string>();
  // Express changes the URL of the request while it looks for a route.
  http.prependListener('request', ({ method, url = '' }, reply) => {
    const path = url.split('?', 1)[0]!;
    const [directory, name] = path.split('/').slice(-2);
    if (!name || !directories.has(directory) || paths.includes(path)) return;
    const explanation = explain(name, paths);
    if (explanation === undefined) return;
    reply.once('finish', () => {
      if (reply.statusCode !== 404 || explained.has(name)) return;
      explained.add(name);
      logger.log(`${method} ${path} got 404: ${explanation}.`);
    });
  });
}

/** Returns the path of an endpoint, or the feature that it belongs to, as a clause. */
function explain(name: string, paths: readonly string[]): string | undefined {
  const own = paths.find((one) => one.endsWith(`/${name}`));
  if (own !== undefined) return `the endpoint is at ${own}`;
  const feature = Object.hasOwn(FEATURES, name) ? FEATURES[name] : undefined;
  return feature && `the endpoint belongs to \`${feature}\`, which is missing in \`features\``;
}
