import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidTokenError } from '../../errors/index.js';
import type { Feature, PresentedToken } from '../../contracts/feature.js';
import type { AuthorizationHooks } from '../../contracts/hooks.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import { audienceOf, isAmong, isSameAudience } from '../../tokens/audience.js';
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
 * Clients say for which resource they want a token, and it is good for no other. Codes and tokens are kept with `resource`,
 * a list; refresh tokens of narrowed access tokens with `refreshTokenResource`. RFC 8707
 */
export function resourceIndicators(options: ResourceIndicatorOptions = {}): Feature {
  const { own, unrestricted = false } = options ?? {};
  return {
    id: RESOURCE_INDICATORS,
    specification: 'RFC 8707',
    parameters: { authorize: { resource: RESOURCE }, token: { resource: RESOURCE } },
    ...(own && { resources: own }),

    install(builder) {
      const known = builder.use(KNOWN_RESOURCES);
      builder.provide(KNOWN_RESOURCES, () => new KnownResources(builder.server, options));
      return {
        authorization: authorizationHooks(known),
        token: { issue: (request) => bindToResources(request, known()), respond: verifyRetriedResources },
        resource: { verify: (presented) => verifyAudience(presented, unrestricted) },
        misconfigurations: () => known().configurationErrors(),
      };
    },
  };
}

/** Returns the hooks that read and validate the resources of authorization requests. RFC 8707 §2.1 */
function authorizationHooks(known: () => KnownResources): AuthorizationHooks {
  /** The resources as they were requested, before a user was known. */
  const wanted = new WeakMap<AuthorizationRequest, readonly string[]>();
  return {
    async read(parameters, { client }) {
      const resource = await known().verify(requestedResources(parameters), { client });
      return resource.length > 0 ? { resource } : undefined;
    },

    /** No `issue` hook runs for a token of the implicit flow, so its resources are validated for the user here. */
    async approve(request, { user, decision }) {
      const { client, data, responseType } = request;
      if (decision || !responseType.split(' ').includes('token')) return;
      const whole = wanted.get(request) ?? audienceOf(data['resource']);
      if (whole.length === 0) return;
      wanted.set(request, whole);
      data['resource'] = await known().remaining(whole, { client, user });
    },
  };
}

/** Stores with the token which resources it is for. @throws {InvalidTargetError} If a resource was not granted. RFC 8707 §2.2 */
async function bindToResources(request: ClientRequest, resources: KnownResources): Promise<void> {
  const { authorization, parameters } = request;
  const named = request.source?.requestedResources ?? requestedResources(parameters);
  const granted = authorizedResources(request);
  verifyAuthorized(named, granted);
  const isWhole = named.length === 0 && granted.length > 0;
  const resource = await (isWhole
    ? resources.remaining(granted, authorization!)
    : resources.verify(named, authorization!));
  if (resource.length === 0) return;
  request.tokenMembers['resource'] = resource;
  // A client that asked for less keeps the right to the rest. RFC 8707 §2.2
  const isFollowing = Boolean(request.code ?? request.refreshToken);
  if (isFollowing && authorization!.refreshable && !isSameAudience(resource, granted)) {
    request.tokenMembers['refreshTokenResource'] = granted;
  }
}

/** @throws {InvalidTokenError} If the token is for another resource than the one that is requested. RFC 8707 §2 */
function verifyAudience({ token, request, server }: PresentedToken, unrestricted: boolean): void {
  const audience = audienceOf(token['resource']);
  const asked = server.resourceOf(request);
  if (audience.length === 0 ? unrestricted || asked === undefined : asked && isAmong(asked, audience)) return;
  throw new InvalidTokenError('Invalid token: access token is for another resource').because({
    reason: 'the token is for the resource that the request is for',
    expected: asked ?? 'a resource that this application names, as by the option `own` of `resourceIndicators`',
    given: audience,
  });
}

const RESOURCE = 'The resource that the token is for; may be repeated.';
