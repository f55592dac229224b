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
  /** Finds the route of a real path, not only of a pattern, although the documentation calls it a pattern. */
  findRoute?(route: { method: string; url: string }): { params: Readonly<Record<string, unknown>> } | null;
  printRoutes?(): string;
}

/**
 * Whether a route of Express or Fastify serves a path. A route or a middleware for every path may serve a page, but no
 * resource. `undefined` on other platforms, and if a request header may select a route.
 */
function isServed(path: string, platform: Platform, isPage: boolean): boolean | undefined {
  if (!platform.findRoute) return platform.router?.stack?.some((layer) => servesByLayer(path, layer, isPage));
  const isFound = (method: string, url: string) => {
    const { params } = platform.findRoute!({ method, url }) ?? {};
    if (!params) return false;
    const isForEveryPath = method === 'GET' && params['*'] === url.slice(1);
    // `/:locale/:page` matches `/join/` with an empty page, but not `/join`.
    const isEmpty = Object.entries(params).some(([name, value]) => value === '' && name !== '*');
    return !isEmpty && (isPage || !isForEveryPath);
  };
  const isServedHere = METHODS.some((method) => isFound(method, path) || isFound(method, `${path}/`));
  return isServedHere || (hasConstraints(platform) ? undefined : false);
}

/** Whether a layer of Express serves a path. */
function servesByLayer(path: string, layer: Layer, isPage: boolean): boolean {
  try {
    if (!layer.match(path)) return false;
    return (isPage && (layer.route !== undefined || layer.name === 'serveStatic')) || !layer.match(NOWHERE);
  } catch {
    // The route matches, but a parameter in the path has an invalid percent-encoding.
    return true;
  }
}

/** Whether routes of Fastify depend on request headers, such as the version or the host. */
function hasConstraints(platform: Platform): boolean {
  try {
    return / \{/.test(platform.printRoutes?.() ?? ' {');
  } catch {
    // Fastify cannot print lists of versions.
    return true;
  }
}

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
    for (const { path, option, owner, remedy, isPage = false } of promised) {
      // A proxy may remove the path of the issuer.
      const paths = [path, ...(base && path.startsWith(`${base}/`) ? [path.slice(base.length)] : [])];
      if (path.includes(':') || paths.some((one) => isServed(one, platform, isPage) !== false)) continue;
      const prefixed = `/${prefix}${path}`;
      const advice =
        prefix && isServed(prefixed, platform, false)
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
