import type { ServerContext } from '../contracts/feature.js';
import { encryptionMetadata } from '../jose/encryption/find-encryption.js';
import { findKeys } from '../jose/keys/find-keys.js';
import type { OpenIdSettings } from './options.js';
import { acceptsRequestObjects } from './unsupported-parameters.js';
import { claimsOfScopes, OFFLINE_ACCESS, OPENID_SCOPE } from './scopes.js';

/** Returns the server metadata of an OpenID provider. OpenID Connect Discovery §3 */
export function openIdMetadata(server: ServerContext, settings: OpenIdSettings): object {
  const scopes = claimsOfScopes(settings.scopes);
  const algorithms = [...new Set([settings.alg, ...findKeys(server)!.algorithms()])];
  return {
    scopes_supported: [OPENID_SCOPE, ...scopes.keys(), ...(settings.offlineAccess ? [OFFLINE_ACCESS] : [])],
    subject_types_supported: subjectTypes(settings),
    id_token_signing_alg_values_supported: algorithms,
    userinfo_signing_alg_values_supported: algorithms,
    ...encryptionMetadata('id_token', server),
    ...encryptionMetadata('userinfo', server),
    claim_types_supported: ['normal'],
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'acr',
      'amr',
      ...new Set([...scopes.values()].flat()),
    ],
    claims_parameter_supported: settings.claimsParameter,
    ...(settings.claimsLocales.length > 0 && { claims_locales_supported: settings.claimsLocales }),
    prompt_values_supported: ['none', 'login', 'consent', 'select_account', ...(settings.signUp ? ['create'] : [])],
    ...(settings.acrValues.length > 0 && { acr_values_supported: settings.acrValues }),
    // `request_uri_parameter_supported` defaults to true, so it must be set to false.
    ...(!acceptsRequestObjects(server) && {
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    }),
  };
}

/** Returns the subject identifier types that a client may register. OpenID Connect Discovery §3 */
function subjectTypes({ pairwise }: OpenIdSettings): readonly string[] {
  if (!pairwise) return ['public'];
  return pairwise.byDefault ? ['pairwise'] : ['public', 'pairwise'];
}
