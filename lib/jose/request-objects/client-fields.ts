import { isBoolean, isString, MAX_URI_LENGTH } from '../../clients/registration/metadata-members.js';
import { clientField } from '../../contracts/client-field.js';

/** The client field that requires signed authorization requests. RFC 9101 §10.5 */
export const REQUIRE_SIGNED_REQUEST_OBJECT = clientField('require_signed_request_object', isBoolean);
/** The client field for the signature algorithm of request objects. OpenID Connect Registration §2 */
export const REQUEST_OBJECT_SIGNING_ALG = clientField('request_object_signing_alg', isString);
/** The client field for the key management algorithm of encrypted request objects. OpenID Connect Registration §2 */
export const REQUEST_OBJECT_ENCRYPTION_ALG = clientField('request_object_encryption_alg', isString);
/** The client field for the content encryption of request objects. OpenID Connect Registration §2 */
export const REQUEST_OBJECT_ENCRYPTION_ENC = clientField('request_object_encryption_enc', isString);
/** The client field for the URIs of request objects. OpenID Connect Registration §2 */
export const REQUEST_URIS = clientField('request_uris', isUriList);

const MAX_URIS = 20;

function isUriList(uris: unknown): uris is readonly string[] {
  return (
    Array.isArray(uris) &&
    uris.length <= MAX_URIS &&
    uris.every((uri) => typeof uri === 'string' && uri.length <= MAX_URI_LENGTH)
  );
}
