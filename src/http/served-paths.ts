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
  match(path: string): unknown;
}

/** Whether a route of Express or Fastify serves a path. `undefined` on other platforms. */
function isServed(path: string, adapter: HttpServer): boolean | undefined {
  const platform = adapter.getInstance() as {
    router?: { stack?: readonly Layer[] };
    hasRoute?(route: { method: string; url: string }): boolean;
  };
  if (platform.hasRoute) {
    const urls = [path, `${path}/`, `${path}/*`];
    return urls.some((url) => METHODS.some((method) => platform.hasRoute!({ method, url })));
  }
  return platform.router?.stack?.some((layer) => layer.match(path) && !layer.match(NOWHERE));
}

/**
 * Logs a warning for each MCP endpoint that no route serves, when the application begins to listen: MCP clients would
 * get tokens for it and then find nothing, and the route that was meant would reject their tokens.
 * @param prefix the global prefix of the application, without slashes
 */
export function warnOfUnservedResources(
  { features, options, resources }: ServerContext,
  { adapter, prefix }: { adapter: HttpServer | undefined; prefix: string },
): void {
  const http = adapter?.getHttpServer() as Server | undefined;
  if (!adapter || !http?.once || !features.some(({ id }) => id === 'mcp')) return;
  const base = options.issuer === undefined ? '' : new URL(options.issuer).pathname.replace(/\/$/, '');
  http.once('listening', () => {
    for (const resource of resources) {
      const { pathname } = new URL(resource);
      // A proxy may remove the path of the issuer.
      const paths = [pathname, ...(base && pathname.startsWith(`${base}/`) ? [pathname.slice(base.length)] : [])];
      if (pathname.includes(':') || paths.some((path) => isServed(path, adapter) !== false)) continue;
      const prefixed = `/${prefix}${pathname}`;
      const remedy =
        prefix && isServed(prefixed, adapter)
          ? `it is at ${prefixed} because of the global prefix: set \`resource: '${prefixed}'\` in \`mcp()\`, or exclude the route from the prefix`
          : 'add a route, or set `resource` in `mcp()` to the path of your MCP endpoint';
      logger.warn(`No route serves ${pathname}, the resource of \`mcp()\`: ${remedy}.`);
    }
  });
}
