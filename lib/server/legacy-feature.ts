import type { Feature, Installed, ServerContext } from '../contracts/feature.js';
import { classGrant } from '../endpoints/token/class-grant.js';

/** Returns the members that a feature has besides `install` as an installed part. */
export function legacyInstalled(feature: Feature, server: ServerContext): Installed {
  const { grants } = feature;
  const has = (name: keyof Feature) => typeof feature[name] === 'function';
  return {
    ...pick(feature, ['responseTypes', 'responseModes', 'clientAuthentications', 'origins']),
    ...pick(feature, ['redirectUriScopes', 'ignorableScopes']),
    ...(feature.schemes && { tokenSchemes: feature.schemes }),
    ...(feature.confirms && { confirmationMethods: feature.confirms }),
    ...(grants && { grants: Object.fromEntries(Object.entries(grants).map(([id, Grant]) => [id, classGrant(Grant)])) }),
    authorization: {
      ...(has('resolve') && { resolve: (request) => feature.resolve!(request, server) }),
      ...(has('ask') && { read: (parameters, asked) => feature.ask!(parameters, asked, server) }),
      ...(has('prompt') && { requireInteraction: (asked, presence) => feature.prompt!(asked, presence, server) }),
      ...(has('approve') && { approve: (asked, by) => feature.approve!(asked, by, server) }),
      ...(has('answer') && { respond: (asked, user, said) => feature.answer!(asked, user, said, server) }),
    },
    pushedRequest: has('push') ? { complete: (request, parameters) => feature.push!(request, parameters) } : {},
    token: {
      ...(has('admit') && { admit: (request) => feature.admit!(request) }),
      ...(has('issue') && { issue: (request) => feature.issue!(request) }),
      ...(has('format') && { format: (minted) => feature.format!(minted, server) }),
      ...(has('respond') && { respond: (request, token) => feature.respond!(request, token) }),
      ...(has('describe') && { describe: (token) => feature.describe!(token) }),
    },
    resource: {
      ...(has('present') && { verify: (presented) => feature.present!(presented) }),
      ...(has('challenge') && { challenge: (refused) => feature.challenge!(refused) }),
    },
    client: {
      ...(has('findClient') && { find: (id, request) => feature.findClient!(id, server, request) }),
      ...(has('verifyClientMetadata') && {
        verifyMetadata: (metadata) => feature.verifyClientMetadata!(metadata, server),
      }),
    },
    ...(has('metadata') && { metadata: (issuer: string | undefined) => feature.metadata!(server, issuer) }),
    ...(has('check') && { misconfigurations: () => feature.check!(server) }),
    ...(has('checkOptions') && { callMisconfigurations: (options) => feature.checkOptions!(options) }),
    ...(has('health') && { health: () => feature.health!(server) }),
  };
}

const pick = <T extends object, K extends keyof T>(from: T, names: readonly K[]): Partial<Pick<T, K>> =>
  Object.fromEntries(names.filter((name) => from[name]).map((name) => [name, from[name]])) as Partial<Pick<T, K>>;

/** Returns the parts of a feature that has both legacy members and `install`. */
export function joinedParts(one: Installed, other: Installed): Installed {
  const groups = ['authorization', 'pushedRequest', 'token', 'resource', 'client', 'grants', 'responseTypes'] as const;
  // A group may be an instance of a class: it is only copied if both contracts have members of it.
  const merged = groups.map((name) => [name, isEmpty(one[name]) ? other[name] : { ...one[name], ...other[name] }]);
  return { ...one, ...other, ...(Object.fromEntries(merged) as Installed) };
}

const isEmpty = (group: object | undefined): boolean => Object.keys(group ?? {}).length === 0;
