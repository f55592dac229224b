/** The claims of each scope. OpenID Connect Core §5.4 */
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

/** The scope of a request that is one of OpenID Connect. OpenID Connect Core §3.1.2.1 */
export const OPENID_SCOPE = 'openid';
/** OpenID Connect Core §11 */
export const OFFLINE_ACCESS = 'offline_access';

/** What the host says of scopes: the claims of each; false: there is no such scope here. */
export type ScopeClaims = Readonly<Record<string, readonly string[] | false>>;

/** Which claims each scope stands for: those of the specification, with what the host says in place of them and beside them. */
export function claimsOfScopes(own: ScopeClaims = {}): ReadonlyMap<string, readonly string[]> {
  const entries = Object.entries({ ...STANDARD_SCOPES, ...own });
  return new Map(entries.filter((entry): entry is [string, readonly string[]] => entry[1] !== false));
}

/** What the server says itself, whatever a model returns. OpenID Connect Core §2, RFC 7519 §4.1 */
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
