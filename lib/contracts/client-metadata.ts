import type { SnakeCase } from './client-field.js';
import type { ClientFields } from '../model/model.js';

/** The fields of `ClientFields`, by their snake-case names in client metadata. */
type RegisteredFields = { readonly [Property in keyof ClientFields as SnakeCase<Property>]?: ClientFields[Property] };

/** The metadata that a client registers. Display texts may have language tags, such as `client_name#ja`. RFC 7591 §2 */
export interface ClientMetadata extends RegisteredFields {
  readonly redirect_uris?: readonly string[];
  readonly token_endpoint_auth_method: string;
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly tos_uri?: string;
  readonly policy_uri?: string;
  readonly contacts?: readonly string[];
  /** The scope values that the client may request, separated by spaces. */
  readonly scope?: string;
  readonly jwks?: JsonWebKeySet;
  readonly software_id?: string;
  readonly software_version?: string;
  readonly software_statement?: string;
  readonly [tagged: `${string}#${string}`]: string;
}

/** A set of public keys. RFC 7517 §5 */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}
