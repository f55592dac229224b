import type { ClientRequest } from '../../contracts/client-request.js';
import { ofResources } from '../../endpoints/resource/own-resources.js';
import { InvalidTokenError } from '../../errors/index.js';
import type { Feature, PresentedToken } from '../../contracts/feature.js';
import type { AuthorizationHooks } from '../../contracts/hooks.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import { audienceOf, isSameAudience } from '../../tokens/audience.js';
import { KnownResources } from './known-resources.js';
import {
  authorizedResources,
  KNOWN_RESOURCES,
  requestedResources,
  RESOURCE_INDICATORS,
  verifyRetriedResources,
  verifyAuthorized,
} from './requested-resources.js';
import type { ResourceIndicatorOptions } from './options.js';

/**
 * Lets clients request tokens for certain resources, and restricts each token to them. Codes and tokens are saved with
 * the list `resource`. A refresh token for more resources than its access token is saved with `refreshTokenResource`.
 * RFC 8707
 */
export function resourceIndicators(options: ResourceIndicatorOptions = {}): Feature {
  const { own } = options ?? {};
  return {
    id: RESOURCE_INDICATORS,
    specification: 'RFC 8707',
    parameters: { authorize: { resource: RESOURCE }, token: { resource: RESOURCE } },
    ...(own && { resources: own }),

    install(builder) {
      const server = () => builder.server;
      const knownResources = ofResources(server, () => new KnownResources(server(), options));
      builder.provide(KNOWN_RESOURCES, () => knownResources);
      return {
        authorization: authorizationHooks(knownResources),
        token: { issue: (request) => bindToResources(request, knownResources()), respond: verifyRetriedResources },
        resource: { verify: (presented) => verifyAudience(presented, knownResources()) },
        misconfigurations: () => knownResources().configurationErrors(),
      };
    },
  };
}

/** Returns the hooks that read and validate the resources of authorization requests. RFC 8707 §2.1 */
function authorizationHooks(knownResources: () => KnownResources): AuthorizationHooks {
  /** The resources of each request, before they were reduced for a user. */
  const requestedResourcesOf = new WeakMap<AuthorizationRequest, readonly string[]>();
  return {
    async read(parameters, { client }) {
      const resource = await knownResources().verify(requestedResources(parameters), { client });
      return resource.length > 0 ? { resource } : undefined;
    },

    /** For the implicit grant no `issue` hook runs, so its resources are validated here, once the user is known. */
    async approve(request, { user, decision }) {
      const { client, data, responseType } = request;
      if (decision || !responseType.split(' ').includes('token')) return;
      const requested = requestedResourcesOf.get(request) ?? audienceOf(data['resource']);
      if (requested.length === 0) return;
      requestedResourcesOf.set(request, requested);
      data['resource'] = await knownResources().remaining(requested, { client, user });
    },
  };
}

/**
 * Restricts a new token to the requested resources, or to the granted ones if none are requested.
 * @throws {InvalidTargetError} If a resource is unknown or was not granted. RFC 8707 §2.2
 */
async function bindToResources(request: ClientRequest, resources: KnownResources): Promise<void> {
  const { authorization, parameters } = request;
  const requested = request.source?.requestedResources ?? requestedResources(parameters);
  const granted = authorizedResources(request);
  verifyAuthorized(requested, granted);
  const isWhole = requested.length === 0 && granted.length > 0;
  const resource = await (isWhole
    ? resources.remaining(granted, authorization!)
    : resources.verify(requested, authorization!));
  if (resource.length === 0) return;
  request.tokenMembers['resource'] = resource;
  // The refresh token keeps all granted resources, even if this access token is for fewer. RFC 8707 §2.2
  const isFollowing = Boolean(request.code ?? request.refreshToken);
  if (isFollowing && authorization!.refreshable && !isSameAudience(resource, granted)) {
    request.tokenMembers['refreshTokenResource'] = granted;
  }
}

/**
 * Verifies that an access token was issued for the resource to which the request is sent.
 * @throws {InvalidTokenError} If it was issued for another resource. RFC 8707 §2
 */
function verifyAudience({ token, request, server }: PresentedToken, resources: KnownResources): void {
  const audience = audienceOf(token['resource']);
  const requested = server.resourceOf(request);
  if (resources.isAccepted(audience, requested)) return;
  const message = 'Invalid token: access token is for another resource: request one with the `resource` of this API';
  throw new InvalidTokenError(message).because({
    reason: 'access token is not for the requested resource',
    expected: requested ?? 'a resource of this application, as listed in `own` of `resourceIndicators()`',
    given: audience,
    remedy:
      'request a token with the expected URI as `resource`, or list the resource of this route in `own` of `resourceIndicators()`. ' +
      'A token for the resource of `mcp()` is valid only there',
  });
}

const RESOURCE = 'The resource that the token is for. May be repeated.';
