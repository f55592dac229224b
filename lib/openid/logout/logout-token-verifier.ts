import { isObject } from '../../http/is-object.js';
import { ALGORITHMS } from '../../jose/algorithms.js';
import { KeyCache } from '../../jose/key-cache.js';
import { readKeySet } from '../../jose/read-key-set.js';
import { CLOCK_TOLERANCE, verifyJwt } from '../../jose/verify-jwt.js';
import { LOGOUT_EVENT, LOGOUT_TOKEN } from './logout-token.js';

/** An OpenID provider that sends logout tokens. */
export interface LogoutTokenIssuer {
  readonly issuer: string;
  /** The algorithms with which the provider signs ID tokens, and so logout tokens. */
  readonly algorithms: readonly string[];
  /** The response of the `jwks_uri` of the provider. */
  readonly keys: unknown;
}

/** The claims of a valid logout token. It contains `sub`, `sid` or both. */
export interface LogoutTokenClaims {
  readonly iss: string;
  readonly jti: string;
  readonly sub?: string | undefined;
  readonly sid?: string | undefined;
}

/** Maximum age of a logout token in seconds. It is sent immediately. */
const MAX_LOGOUT_TOKEN_AGE = 600;

const MAX_CLAIM_LENGTH = 255;

/** The values of `typ` that a logout token may have. Other kinds of JWT are rejected. RFC 8725 §3.11 */
const TYPES: readonly unknown[] = [undefined, 'jwt', LOGOUT_TOKEN, `application/${LOGOUT_TOKEN}`];

/** Verifies the logout tokens of one provider. OpenID Connect Back-Channel Logout 1.0 §2.6 */
export class LogoutTokenVerifier {
  private provider: LogoutTokenIssuer | undefined;
  private readonly keys: KeyCache;

  /** @param load reads the metadata and keys of the provider. It is called at most every 30 seconds. */
  constructor(load: () => Promise<LogoutTokenIssuer>) {
    const loadKeys = async () => {
      const provider = await load();
      const keys = readKeySet(provider.keys);
      if (!keys) throw new Error('the response of `jwks_uri` is not a JWK set');
      this.provider = provider;
      return keys;
    };
    this.keys = new KeyCache(loadKeys, { maxAge: 600, coolDown: 30, maxStale: 86_400 });
  }

  /**
   * Verifies a logout token. The caller rejects a `jti` that it has seen before.
   * @throws {Error} If the token is invalid, or the keys cannot be read.
   */
  async verify(token: string, clientId: string): Promise<LogoutTokenClaims> {
    const { payload, protectedHeader } = await verifyJwt(token, this.keys.find, {
      algorithms: [...ALGORITHMS],
      audience: clientId,
      clockTolerance: CLOCK_TOLERANCE,
      maxTokenAge: MAX_LOGOUT_TOKEN_AGE,
      requiredClaims: ['iss', 'iat', 'exp', 'jti'],
    });
    const { iss, sub, sid, jti, events, nonce } = payload;
    const { issuer, algorithms } = this.provider!;
    const isLogout = isObject(events) && isObject(events[LOGOUT_EVENT]);
    reject(iss !== issuer, `\`iss\` is not ${issuer}`);
    reject(!algorithms.includes(protectedHeader.alg), 'the provider does not sign ID tokens with this `alg`');
    reject(!TYPES.includes(protectedHeader.typ?.toLowerCase()), '`typ` is not logout+jwt');
    reject(!isLogout, '`events` has no member for the logout');
    reject(nonce !== undefined, '`nonce` is present, as in an ID token');
    reject(sub === undefined && sid === undefined, '`sub` and `sid` are missing');
    for (const value of [sub ?? '-', sid ?? '-', jti]) {
      const isText = typeof value === 'string' && value !== '' && value.length <= MAX_CLAIM_LENGTH;
      reject(!isText, '`sub`, `sid` or `jti` is not a text of 1 to 255 characters');
    }
    return { iss: issuer, jti: jti!, sub, sid: sid as string | undefined };
  }
}

function reject(isInvalid: boolean, reason: string): void {
  if (isInvalid) throw new Error(reason);
}
