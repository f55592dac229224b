import type { SnakeCase } from './client-field.js';
import type { ClientFields } from '../model/model.js';

/** The fields that an application may set for a client as well, by their names in client metadata. */
type RegisteredFields = { readonly [Property in keyof ClientFields as SnakeCase<Property>]?: ClientFields[Property] };

/** What a client says of itself, by the names of RFC 7591 §2; texts for people may come in several languages: `client_name#ja`. */
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
  /** What it may ask for, separated by spaces. */
  readonly scope?: string;
  readonly jwks?: JsonWebKeySet;
  readonly software_id?: string;
  readonly software_version?: string;
  readonly software_statement?: string;
  readonly [tagged: `${string}#${string}`]: string;
}

/** Public keys. RFC 7517 §5 */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}
