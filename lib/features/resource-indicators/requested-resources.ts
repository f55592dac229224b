import { capability } from '../../contracts/capability.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidTargetError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Parameters } from '../../http/parameters.js';
import type { Token } from '../../model/model.js';
import { audienceOf, isAmong, isResource, isSameAudience } from '../../tokens/audience.js';
import type { KnownResources } from './known-resources.js';

/** The id of the feature `resourceIndicators()`. */
export const RESOURCE_INDICATORS = 'resourceIndicators';

/**
 * The capability key under which `resourceIndicators()` provides a function that returns the resources that the server
 * issues tokens for.
 */
export const KNOWN_RESOURCES = capability<() => KnownResources>('known resources', 'resourceIndicators');

/** Whether the server issues tokens for resources, because `resourceIndicators()` is installed. */
export const issuesForResources = (server: Pick<ServerContext, 'find'>): boolean =>
  server.find(KNOWN_RESOURCES) !== undefined;

/**
 * Returns the distinct resources in the parameter `resource` of a request.
 * @throws {InvalidTargetError} If one is not an absolute URI. RFC 8707 §2
 */
export function requestedResources(parameters: Parameters): readonly string[] {
  const uris = parameters.all('resource', () => true);
  const wrong = uris.find((uri) => !isResource(uri));
  if (wrong === undefined) return uris;
  const reason = 'resource is not an absolute URI, or has a fragment or `..` in its path';
  const detail = { reason, given: shortText(wrong) };
  throw new InvalidTargetError('Invalid target: `resource` must be an absolute URI without fragment').because(detail);
}

/**
 * Returns the resources that the code, refresh token or other source of the grant was issued for. Empty if they are not
 * restricted.
 */
export function authorizedResources({ code, refreshToken, source }: ClientRequest): readonly string[] {
  if (source) return source.resources;
  const { resource, refreshTokenResource } = (code ?? refreshToken ?? {}) as Partial<Token>;
  return audienceOf(refreshTokenResource ?? resource);
}

/**
 * Verifies that all requested resources are authorized. If no resource is authorized, any may be requested.
 * RFC 8707 §2.2
 * @throws {InvalidTargetError} If a requested resource is not authorized.
 */
export function verifyAuthorized(requested: readonly string[], authorized: readonly string[]): void {
  const unauthorized = authorized.length > 0 ? requested.find((uri) => !isAmong(uri, authorized)) : undefined;
  if (unauthorized === undefined) return;
  const detail = {
    reason: 'requested resource is not one of the granted resources',
    expected: authorized,
    given: shortText(unauthorized),
  };
  throw new InvalidTargetError('Invalid target: `resource` was not granted').because(detail);
}

/**
 * Verifies that a refresh request that is repeated within the rotation grace period contains the same resources as the
 * first one, because it gets the same response.
 * @throws {InvalidTargetError} If it contains other resources.
 */
export function verifyRetriedResources({ refreshToken, tokenMembers, parameters }: ClientRequest, token: Token): void {
  if (!refreshToken) return;
  const [expected, audience] = [audienceOf(tokenMembers['resource']), audienceOf(token['resource'])];
  const requested = expected.length > 0 ? expected : requestedResources(parameters);
  if (requested.length === 0 || audience.length === 0 || isSameAudience(requested, audience)) return;
  throw new InvalidTargetError('Invalid target: the refresh token was already used with another resource');
}
