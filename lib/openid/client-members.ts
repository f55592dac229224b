import type { Feature } from '../contracts/feature.js';
import { isPublicUrl } from '../http/public-url.js';
import { redirectFault } from '../clients/registration/redirect-uris.js';
import { encryptionMembers } from '../jose/encryption/find-encryption.js';
import { isSignedBy } from '../jose/keys/find-keys.js';

/** Characters of an address, and values of a list. */
const LONGEST = 2000;
const MOST = 20;

/** What a client may say of itself that OpenID Connect knows, and what good values are. OpenID Connect Registration §2 */
export function clientMembers({ pairwise }: { pairwise?: object | undefined }): NonNullable<Feature['clientMembers']> {
  return {
    id_token_signed_response_alg: isSignedBy,
    userinfo_signed_response_alg: isSignedBy,
    ...encryptionMembers('id_token'),
    ...encryptionMembers('userinfo'),
    subject_type: (type) => type === 'public' || (type === 'pairwise' && pairwise !== undefined),
    sector_identifier_uri: isAddress,
    default_max_age: (age) => Number.isSafeInteger(age) && (age as number) >= 0,
    require_auth_time: (value) => typeof value === 'boolean',
    claims_in_id_token: (value) => typeof value === 'boolean',
    default_acr_values: (values) => Array.isArray(values) && values.length <= MOST && values.every(isText),
    initiate_login_uri: isAddress,
    post_logout_redirect_uris: (uris) => Array.isArray(uris) && uris.length <= MOST && uris.every(isPlace),
  };
}

const isText = (value: unknown) => typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value);

/** Where a user may be sent, by the rules of redirect URIs, and to an application by a scheme that is its own beyond doubt. */
const isPlace = (uri: unknown) =>
  redirectFault(uri) === undefined && /^(?:https?|[a-z][a-z\d+-]*\.[a-z\d+.-]*):/i.test(uri as string);

/** An https address. */
export const isAddress = (uri: unknown) =>
  typeof uri === 'string' && uri.length <= LONGEST && /^https:/i.test(uri) && isPublicUrl(uri.split('?', 1)[0]);
