import { isBoolean } from '../clients/registration/metadata-members.js';
import { findRedirectUriError } from '../clients/registration/redirect-uris.js';
import { SECTOR_IDENTIFIER_URI } from '../clients/registration/sector-host.js';
import { type ClientField, clientField } from '../contracts/client-field.js';
import type { ServerContext } from '../contracts/feature.js';
import { isPublicHttpsUri } from '../http/public-url.js';
import { responseFields } from '../jose/encryption/client-signer.js';

const MAX_VALUES = 20;

/** The client field for the type of subject identifiers: `public` or `pairwise`. OpenID Connect Registration §2 */
export const SUBJECT_TYPE = clientField('subject_type', (type) => type === 'public' || type === 'pairwise');
/** The client field for the default `max_age` of its requests, in seconds. OpenID Connect Registration §2 */
export const DEFAULT_MAX_AGE = clientField('default_max_age', isAge);
/** The client field that requires `auth_time` in ID tokens. OpenID Connect Registration §2 */
export const REQUIRE_AUTH_TIME = clientField('require_auth_time', isBoolean);
/**
 * The client field that determines whether ID tokens contain the claims of scopes. It is an extension. OpenID Connect
 * Core §5.4
 */
export const CLAIMS_IN_ID_TOKEN = clientField('claims_in_id_token', isBoolean);
/** The client field for the default `acr_values` of its requests. OpenID Connect Registration §2 */
export const DEFAULT_ACR_VALUES = clientField('default_acr_values', isListOf(isAcr));
/** The client field for the URI at which the client starts a login. OpenID Connect Registration §2 */
export const INITIATE_LOGIN_URI = clientField('initiate_login_uri', isPublicHttpsUri);
/** The client field for the redirect URIs after a logout. RP-Initiated Logout §3.1 */
export const POST_LOGOUT_REDIRECT_URIS = clientField('post_logout_redirect_uris', isListOf(isPostLogoutUri));

/**
 * Returns the client fields of OpenID Connect. Without the option `pairwise`, a client can only register public
 * identifiers.
 */
export const openIdFields = (isPairwiseSupported: boolean): readonly ClientField<string, unknown, ServerContext>[] => [
  ...responseFields('id_token'),
  ...responseFields('userinfo'),
  SUBJECT_TYPE.restrict((type) => type === 'public' || isPairwiseSupported),
  SECTOR_IDENTIFIER_URI,
  DEFAULT_MAX_AGE,
  REQUIRE_AUTH_TIME,
  CLAIMS_IN_ID_TOKEN,
  DEFAULT_ACR_VALUES,
  INITIATE_LOGIN_URI,
  POST_LOGOUT_REDIRECT_URIS,
];

function isAge(age: unknown): age is number {
  return Number.isSafeInteger(age) && (age as number) >= 0;
}

function isListOf(isValid: (value: unknown) => boolean) {
  return (values: unknown): values is readonly string[] =>
    Array.isArray(values) && values.length <= MAX_VALUES && values.every((value) => isValid(value));
}

function isAcr(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value);
}

/** Whether a URI is valid as a redirect URI. The scheme of an application must be a reverse domain name. */
function isPostLogoutUri(uri: unknown): boolean {
  return findRedirectUriError(uri) === undefined && /^(?:https?|[a-z][a-z\d+-]*\.[a-z\d+.-]*):/i.test(uri as string);
}
