/** The claims of the standard scopes. OpenID Connect Core §5.4 */
const STANDARD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};

/** The scope that makes a request an OpenID Connect request. OpenID Connect Core §3.1.2.1 */
export const OPENID_SCOPE = 'openid';
/** The scope with which a client requests refresh tokens. OpenID Connect Core §11 */
export const OFFLINE_ACCESS = 'offline_access';

/** The claims of each scope that the application configures. `false` removes a standard scope. */
export type ScopeClaims = Readonly<Record<string, readonly string[] | false>>;

/** Returns the claims of each scope: the standard scopes, extended and replaced by those of the application. */
export function claimsOfScopes(own: ScopeClaims = {}): ReadonlyMap<string, readonly string[]> {
  const entries = Object.entries({ ...STANDARD_SCOPES, ...own });
  return new Map(entries.filter((entry): entry is [string, readonly string[]] => entry[1] !== false));
}

/**
 * The claims that only the server sets. Values that the model returns for them are ignored. OpenID Connect Core §2, RFC
 * 7519 §4.1
 */
export const RESERVED: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'nonce',
  'auth_time',
  'acr',
  'amr',
  'azp',
  'sid',
  'at_hash',
  'c_hash',
  's_hash',
  'cnf',
  'sub_jwk',
  'events',
  'urn:openid:params:jwt:claim:auth_req_id',
  'urn:openid:params:jwt:claim:rt_hash',
]);
