import { assertConfig, documentPaths } from '../../lib/adapter/index.js';
import type { Endpoint } from '../http/endpoint.js';

type Routes = Readonly<Record<string, string | false>>;

/** How many segments the path of a tenant's issuer may have. */
const DEPTH = 3;

/** Where documents of tenants are: issuers are not known yet, so each segment of their paths is a parameter. RFC 8414 §3.1, §5 */
export function tenantDocumentRoutes(endpoint: Endpoint): readonly string[] {
  if (!endpoint.perIssuer) return documentPaths(endpoint, undefined);
  const bases = Array.from({ length: DEPTH }, (_, depth) =>
    Array.from({ length: depth + 1 }, (_one, at) => `/:tenant${at + 1}`).join(''),
  );
  return [endpoint.path, ...bases.flatMap((base) => [`${endpoint.path}${base}`, `${base}${endpoint.path}`])];
}

/**
 * The routes of one tenant, by id: parameters at their beginning stand for the path of its issuer, so that `:tenant/oauth/token`
 * is `acme/oauth/token` for `https://id.example.com/acme`.
 * @throws InvalidArgumentError where a parameter is left over: its metadata could not name that endpoint
 */
export function routesOfTenant(routes: Routes, issuer: string): Routes {
  const base = segmentsOf(new URL(issuer).pathname);
  return Object.fromEntries(
    Object.entries(routes).map(([id, route]) => [id, route === false ? route : filled(route, base, issuer)]),
  );
}

function filled(route: string, base: readonly string[], issuer: string): string {
  if (!route.includes('/:')) return route;
  const segments = segmentsOf(route);
  const fits = base.every((one, at) => segments[at] === one || segments[at]?.startsWith(':'));
  const whole = fits ? [...base, ...segments.slice(base.length)] : segments;
  const isWhole = !whole.some((one) => one.startsWith(':'));
  assertConfig(isWhole, `the path of the \`issuer\` \`${issuer}\` must fill the parameters of the path \`${route}\``);
  return `/${whole.join('/')}`;
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean);
