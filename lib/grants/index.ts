import { AuthorizationCodeGrantType } from './authorization-code.js';
import { ClientCredentialsGrantType } from './client-credentials.js';
import type { GrantTypeClass } from './grant-type.js';
import { PasswordGrantType } from './password.js';
import { RefreshTokenGrantType } from './refresh-token.js';

/** The built-in grant types by `grant_type` value; `extendedGrantTypes` is the same kind of map. */
export const GRANT_TYPES: Readonly<Record<string, GrantTypeClass>> = {
  authorization_code: AuthorizationCodeGrantType,
  client_credentials: ClientCredentialsGrantType,
  password: PasswordGrantType,
  refresh_token: RefreshTokenGrantType,
};
