import type { Endpoint } from '../contracts/feature.js';

/** Whether an endpoint is a well-known document. Its path is fixed at the root of the origin. RFC 8615 §3 */
export const isDocument = ({ path }: Pick<Endpoint, 'path'>): boolean => path.startsWith('/.well-known/');

/**
 * Returns the paths at which a well-known document is served. If the document is per issuer and the issuer has a path,
 * there are two: the issuer's path follows the path of the document, and, for other clients, precedes it.
 * RFC 8414 §3.1, §5
 */
export function documentPaths(
  { path, perIssuer }: Pick<Endpoint, 'path' | 'perIssuer'>,
  issuer: string | undefined,
): readonly string[] {
  const base = perIssuer && issuer !== undefined ? new URL(issuer).pathname.replace(/\/+$/, '') : '';
  return base === '' ? [path] : [`${path}${base}`, `${base}${path}`];
}
