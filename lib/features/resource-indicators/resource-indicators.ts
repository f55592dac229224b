import { InvalidTokenError } from '../../errors.js';
import type { Feature, Presented } from '../../feature.js';
import type { Model } from '../../model/model.js';
import { audienceOf, isAmong, isSameAudience } from '../../tokens/audience.js';
import { KnownResources } from './known-resources.js';
import { grantedResources, namedResources, verifyAnswered, verifyGranted } from './named-resources.js';
import type { ResourceIndicatorOptions } from './options.js';

/**
 * Clients say for which resource they want a token, and it is good for no other. Codes and tokens are kept with `resource`,
 * a list; refresh tokens of narrowed access tokens with `refreshTokenResource`. RFC 8707
 */
export function resourceIndicators(options: ResourceIndicatorOptions = {}): Feature {
  const { own, unrestricted = false } = options;
  // By model: a grant is judged without the server at hand, and a server may share the feature with another one.
  const known = new WeakMap<Model, KnownResources>();

  return {
    name: 'RFC 8707',
    parameters: { authorize: { resource: RESOURCE }, token: { resource: RESOURCE } },
    ...(own && { resources: own }),

    check(server) {
      const resources = new KnownResources(server, options);
      known.set(server.options.model, resources);
      return [...resources.faults()];
    },

    async ask(parameters, { client }, server) {
      const resource = await known.get(server.options.model)!.verify(namedResources(parameters), { client });
      return resource.length > 0 ? { resource } : undefined;
    },

    async issue(exchange) {
      const {
        authorization,
        parameters,
        options: { model },
      } = exchange;
      const resources = known.get(model)!;
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
