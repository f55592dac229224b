import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';
import type { HttpServer } from '@nestjs/common';
import type { ServerContext } from '../../lib/index.js';

const logger = new Logger('OAuth2');

/** A path that no application serves. A layer that matches it matches every path, and serves no resource. */
const NOWHERE = '/.well-known/nest-oauth2-nowhere';
const METHODS = ['POST', 'GET'];

/** A layer of the router of Express 5: a route, or middleware at a path. */
interface Layer {
  readonly name: string;
  readonly route?: object;
  match(path: string): unknown;
}

/** A path that the configuration promises to clients or browsers, and that a route of the application must serve. */
interface PromisedPath {
  readonly path: string;
  readonly option: string;
  readonly owner: string;
  /** What the warning recommends if no route serves the path. */
  readonly remedy: string;
  /** Whether a route or a middleware for every path, such as one that serves static files, may serve it. */
  readonly isPage?: boolean;
}

/** The parts of Express 5 or of Fastify that find routes. */
interface Platform {
  readonly router?: { readonly stack?: readonly Layer[] };
  hasRoute?(route: { method: string; url: string }): boolean;
}

/** Whether a route of Express or Fastify serves a path. `undefined` on other platforms. */
function isServed(path: string, platform: Platform): boolean | undefined {
  if (!platform.hasRoute) return platform.router?.stack?.some((layer) => layer.match(path) && !layer.match(NOWHERE));
  const urls = [path, `${path}/`, `${path}/*`];
  return urls.some((url) => METHODS.some((method) => platform.hasRoute!({ method, url })));
}

/** Whether a route or the middleware for static files serves every path. */
const servesEveryPath = (platform: Platform): boolean | undefined =>
  platform.hasRoute
    ? ['/*', '*'].some((url) => platform.hasRoute!({ method: 'GET', url }))
    : platform.router?.stack?.some((layer) => layer.name === 'serveStatic' || (layer.route && layer.match(NOWHERE)));

/**
 * Logs a warning for each path that no route serves, when the application begins to listen: MCP clients would get tokens
 * for an endpoint and then find nothing, and a link of the login page would lead nowhere.
 * @param prefix the global prefix of the application, without slashes
 */
export function warnOfUnservedPaths(
  server: ServerContext,
  { adapter, prefix }: { adapter: HttpServer | undefined; prefix: string },
): void {
  const http = adapter?.getHttpServer() as Server | undefined;
  const promised = [...resourcesOfMcp(server), ...ownPages(server)];
  if (!adapter || !http?.once || promised.length === 0) return;
  const { issuer } = server.options;
  const base = issuer === undefined ? '' : new URL(issuer).pathname.replace(/\/$/, '');
  http.once('listening', () => {
    const platform = adapter.getInstance() as Platform;
    for (const { path, option, owner, remedy, isPage } of promised) {
      // A proxy may remove the path of the issuer.
      const paths = [path, ...(base && path.startsWith(`${base}/`) ? [path.slice(base.length)] : [])];
      if (path.includes(':') || paths.some((one) => isServed(one, platform) !== false)) continue;
      if (isPage && servesEveryPath(platform)) continue;
      const prefixed = `/${prefix}${path}`;
      const advice =
        prefix && isServed(prefixed, platform)
          ? `it is at ${prefixed} because of the global prefix: set \`${option}: '${prefixed}'\` in ${owner}, or exclude the route from the prefix`
          : remedy;
      const name = isPage ? `\`${option}\`` : option;
      logger.warn(`No route serves ${path}, the ${name} of ${owner}: ${advice}.`);
    }
  });
}

function resourcesOfMcp({ features, resources }: ServerContext): readonly PromisedPath[] {
  if (!features.some(({ id }) => id === 'mcp')) return [];
  const remedy = 'add a route, or set `resource` in `mcp()` to the path of your MCP endpoint';
  return [...resources].map((one) => ({ path: new URL(one).pathname, option: 'resource', owner: '`mcp()`', remedy }));
}

/** Returns the pages of the application to which the login page of `pages()` leads. */
function ownPages({ features }: ServerContext): readonly PromisedPath[] {
  const settings = features.find(({ id }) => id === 'pages')?.settings ?? {};
  return ['login', 'signUp', 'forgotPassword'].flatMap((option) => {
    const page = settings[option];
    if (typeof page !== 'string' || !page.startsWith('/')) return [];
    const remedy = `add a route, or remove \`${option}\`. If a proxy or a static file serves it, ignore this`;
    return [{ path: page.split(/[?#]/, 1)[0]!, option, owner: '`pages()`', remedy, isPage: true }];
  });
}
