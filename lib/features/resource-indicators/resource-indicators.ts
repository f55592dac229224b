import { InvalidTokenError } from '../../errors/index.js';
import type { Feature, Presented } from '../../contracts/feature.js';
import type { OwnUrls } from '../../contracts/own-urls.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import { audienceOf, isAmong, isSameAudience } from '../../tokens/audience.js';
import { KnownResources } from './known-resources.js';
import {
  grantedResources,
  namedResources,
  RESOURCE_INDICATORS,
  verifyAnswered,
  verifyGranted,
} from './named-resources.js';
import type { ResourceIndicatorOptions } from './options.js';

/**
 * Clients say for which resource they want a token, and it is good for no other. Codes and tokens are kept with `resource`,
 * a list; refresh tokens of narrowed access tokens with `refreshTokenResource`. RFC 8707
 */
export function resourceIndicators(options: ResourceIndicatorOptions = {}): Feature {
  const { own, unrestricted = false } = options ?? {};
  // Servers may share the feature.
  const known = new WeakMap<OwnUrls, KnownResources>();
  /** What was asked for, before a user was known of whom. */
  const wanted = new WeakMap<AuthorizationRequest, readonly string[]>();

  return {
    name: RESOURCE_INDICATORS,
    factory: 'resourceIndicators',
    parameters: { authorize: { resource: RESOURCE }, token: { resource: RESOURCE } },
    ...(own && { resources: own }),

    check(server) {
      const resources = new KnownResources(server, options);
      known.set(server, resources);
      return [...resources.faults()];
    },

    async ask(parameters, { client }, server) {
      const resource = await known.get(server)!.verify(namedResources(parameters), { client });
      return resource.length > 0 ? { resource } : undefined;
    },

    /** A token that passes through the browser gets past no `issue`. */
    async approve(request, { user, decision }, server) {
      const { client, data, responseType } = request;
      if (decision || !responseType.split(' ').includes('token')) return;
      const whole = wanted.get(request) ?? audienceOf(data['resource']);
      if (whole.length === 0) return;
      wanted.set(request, whole);
      data['resource'] = await known.get(server)!.remaining(whole, { client, user });
    },

    async issue(exchange) {
      const { authorization, parameters, server } = exchange;
      const resources = known.get(server)!;
      const named = exchange.exchanged?.named ?? namedResources(parameters);
      const granted = grantedResources(exchange);
      verifyGranted(named, granted);
      const isWhole = named.length === 0 && granted.length > 0;
      const resource = await (isWhole
        ? resources.remaining(granted, authorization!)
        : resources.verify(named, authorization!));
      if (resource.length === 0) return;
      exchange.token['resource'] = resource;
      // A client that asked for less keeps the right to the rest. RFC 8707 §2.2
      const isFollowing = Boolean(exchange.code ?? exchange.refreshToken);
      if (isFollowing && authorization!.refreshable && !isSameAudience(resource, granted)) {
        exchange.token['refreshTokenResource'] = granted;
      }
    },

    respond: verifyAnswered,

    present({ token, request, server }: Presented) {
      const audience = audienceOf(token['resource']);
      const asked = server.resourceOf(request);
      if (audience.length === 0 ? unrestricted || asked === undefined : asked && isAmong(asked, audience)) return;
      throw new InvalidTokenError('Invalid token: access token is for another resource').because({
        rule: 'the token is for the resource that the request is for',
        wanted: asked ?? 'a resource that this application names, as by the option `own` of `resourceIndicators`',
        given: audience,
      });
    },
  };
}

const RESOURCE = 'The resource that the token is for; may be repeated.';
