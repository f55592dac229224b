import { assertConfig, documentPaths } from '../../lib/internal.js';
import type { ServerContext } from '../../lib/index.js';
import type { Endpoint } from '../http/endpoint.js';

type Routes<Path extends string | false> = Readonly<Record<string, Path>>;

/** Maximum number of path segments of a tenant's issuer. */
const DEPTH = 3;

/**
 * Returns the routes of a well-known document of tenants. Their issuers are not known in advance, so each segment of an
 * issuer's path is a parameter. RFC 8414 §3.1, §5
 */
export function tenantDocumentRoutes(endpoint: Endpoint): readonly string[] {
  if (!endpoint.perIssuer) return documentPaths(endpoint, undefined);
  const bases = Array.from({ length: DEPTH }, (_, depth) =>
    Array.from({ length: depth + 1 }, (_one, at) => `/:tenant${at + 1}`).join(''),
  );
  return [endpoint.path, ...bases.flatMap((base) => [`${endpoint.path}${base}`, `${base}${endpoint.path}`])];
}

/** Splits the route of a document into its well-known part and the path of a resource. RFC 9728 §3.1 */
const WELL_KNOWN = /^(\/\.well-known\/[^/]+)?(.*)$/;

/**
 * Returns the routes of one tenant by id. Leading parameters are replaced by the path of its issuer: for
 * `https://id.example.com/acme`, `:tenant/oauth/token` becomes `acme/oauth/token`.
 * @throws {InvalidArgumentError} If a parameter remains, because the metadata could not contain the URL of that
 * endpoint.
 */
export function routesOfTenant<Path extends string | false>(
  routes: Routes<Path>,
  issuer: string,
): Routes<Path | string> {
  const base = segmentsOf(new URL(issuer).pathname);
  return Object.fromEntries(
    Object.entries(routes).map(([id, route]) => [id, route === false ? route : fillParameters(route, base, issuer)]),
  );
}

function fillParameters(route: string, base: readonly string[], issuer: string): string {
  if (!route.includes('/:')) return route;
  const [, wellKnown = '', path] = WELL_KNOWN.exec(route)!;
  const segments = segmentsOf(path!);
  const matches = base.every((one, at) => segments[at] === one || segments[at]?.startsWith(':'));
  const filledSegments = matches ? [...base, ...segments.slice(base.length)] : segments;
  const isComplete = !filledSegments.some((one) => one.startsWith(':'));
  assertConfig(
    isComplete,
    `the path of the \`issuer\` \`${issuer}\` must replace all parameters of the path \`${route}\``,
  );
  return `${wellKnown}/${filledSegments.join('/')}`;
}

/**
 * Verifies that the protected resources of one tenant have no parameters left, and that its MCP endpoint is below its
 * issuer. Requests to any other path would not belong to the MCP endpoint.
 * @throws {InvalidArgumentError} If they are not.
 */
export function assertResources({ resources, installed }: ServerContext, issuer: string): void {
  const open = resources.find((uri) => uri.includes('/:'));
  assertConfig(
    open === undefined,
    `the path of the \`issuer\` \`${issuer}\` must replace all parameters of the resource \`${open}\``,
  );
  const base = issuer.replace(/\/$/, '');
  const { origin } = new URL(base);
  const isFar = (uri: string) => uri.startsWith(`${origin}/`) && !`${uri}/`.startsWith(`${base}/`);
  const far = installed.some(({ feature }) => feature.id === 'mcp') ? resources.find(isFar) : undefined;
  assertConfig(
    far === undefined,
    `the resource \`${far}\` is not below the \`issuer\` \`${issuer}\` of its tenant: begin it with the parameters of the path, such as \`mcp({ resource: '/:tenant/mcp' })\``,
  );
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean);
