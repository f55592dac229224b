import type { Endpoint, Feature } from '../contracts/feature.js';
import { publicDocument } from '../endpoints/public-document.js';
import { serverMetadataDocument } from '../features/server-metadata/derived-metadata.js';
import { SUBJECT_IDENTIFIERS } from '../features/subject-identifiers.js';
import { DECRYPTION } from '../jose/decryption/decryption-requirements.js';
import { readAuthorizationParameters } from './authorization-parameters.js';
import { openIdFields } from './client-fields.js';
import { FRONT_CHANNEL_TYPES } from './front-channel-types.js';
import { idTokenHooks } from './id-token-hooks.js';
import { openIdMetadata } from './metadata.js';
import { OPENID } from './openid-capability.js';
import { findConfigurationErrors } from './option-errors.js';
import { OPENID_OPTIONS, type OpenIdOptions } from './options.js';
import { PROMPT_PARAMETERS } from './prompt/requested-prompt.js';
import { Prompts } from './prompt/prompts.js';
import { Provider, PROVIDER } from './provider.js';
import { frontChannelType } from './response-types.js';
import { OFFLINE_ACCESS, OPENID_SCOPE } from './scopes.js';
import { Sectors } from './sector.js';
import { Subjects } from './subjects.js';
import { userinfoEndpoint } from './userinfo.js';

/**
 * Signs users in at other applications: with the scope `openid`, a client receives an ID token that identifies the
 * user. Codes are stored with `nonce`. Codes and tokens are stored with `askedClaims` and `claimsLocales`. OpenID
 * Connect Core
 */
export function openid(options: OpenIdOptions = {}): Feature {
  const settings = OPENID_OPTIONS.settle(options);
  // Servers may share these objects, which hold no state of a server.
  const prompts = new Prompts(settings);
  const sectors = new Sectors(settings.fetch);
  const reader = { settings, prompts, subjects: new Subjects(settings.pairwise) };
  // Other values are reported as configuration errors.
  const responseTypes = [settings.responseTypes].flat().filter((name) => FRONT_CHANNEL_TYPES.includes(name));

  return {
    id: 'openid',
    specification: 'OpenID Connect Core',
    settings: { ...settings, pairwise: settings.pairwise !== undefined },
    requires: ['getClaims', 'getAccessToken'],
    parameters: PARAMETERS,
    endpoints: { 'openid-configuration': discovery(settings.maxAge), userinfo: userinfoEndpoint },

    install(builder) {
      builder.provide(PROVIDER, () => new Provider(builder.server, settings));
      const provider = builder.use(PROVIDER);
      builder.provide(OPENID, provider);
      builder.provide(SUBJECT_IDENTIFIERS, provider);
      if (settings.encryptedHints) builder.contribute(DECRYPTION, { lifetime: MAX_LOGIN_SECONDS });
      return {
        redirectUriScopes: [OPENID_SCOPE],
        ignorableScopes: [OFFLINE_ACCESS],
        responseTypes: Object.fromEntries(responseTypes.map((name) => [name, frontChannelType(name, provider)])),
        clientFields: openIdFields(settings.pairwise !== undefined),
        client: { verifyMetadata: (metadata) => sectors.verify(metadata, settings.pairwise?.byDefault === true) },
        authorization: {
          read: (parameters, request) => readAuthorizationParameters(parameters, request, reader),
          requireInteraction: (request, authentication) =>
            prompts.requiredInteraction(request, authentication, provider()),
        },
        token: idTokenHooks(settings, provider),
        metadata: (issuer) => ({
          ...openIdMetadata(builder.server, settings),
          end_session_endpoint: builder.server.endpoints.has('logout')
            ? builder.server.urlOf('logout', issuer)
            : undefined,
        }),
        misconfigurations: (server) => findConfigurationErrors(server, options),
      };
    },
  };
}

/** Maximum number of seconds that a login may take. A hint is decrypted before and after it. */
const MAX_LOGIN_SECONDS = 1800;

const PARAMETERS = {
  authorize: {
    nonce: 'A value that binds the ID token to the session of the client. The ID token repeats it.',
    claims: 'The claims that are requested by name, as JSON.',
    claims_locales: 'The preferred languages of claims, the best first.',
    ...PROMPT_PARAMETERS,
  },
};

/** Returns the discovery endpoint, which serves the same metadata as RFC 8414. OpenID Connect Discovery §4 */
const discovery = (maxAge: number): Endpoint =>
  publicDocument('/.well-known/openid-configuration', {
    maxAge,
    perIssuer: true,
    build: (server, issuer) => serverMetadataDocument(server, issuer!),
  });
