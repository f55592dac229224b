import { errors, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { InvalidTokenError } from '../../errors.js';
import type { ProtectedResourceModel, Token } from '../../model/model.js';
import { expiryOf, objectionTo, refusal, type TokenClaims, tokenOf } from '../../remote/token-claims.js';
import { issuerKeys } from '../issuer-keys.js';
import { isNotVerified } from '../not-verified.js';
import { type JwtChecks, verifyJwt } from '../verify-jwt.js';
import { type JwtTokensOptions, type Settings, settle } from './settings.js';

/** What every access token must say. RFC 9068 §2.2 */
const REQUIRED = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

/** Characters of a token that are looked at: a header of HTTP is rarely longer. */
const LONGEST = 16_384;

/**
 * The model of an API that lives apart from its authorization server, and checks signed access tokens without asking there
 * for each: the guard finds in them what there is to know. The keys are fetched, and kept. RFC 9068 §4
 */
export class JwtTokens implements ProtectedResourceModel {
  declare readonly getClient?: undefined;
  declare readonly saveToken?: undefined;
  private readonly settings: Settings;
  private readonly keys: JWTVerifyGetKey;
  private readonly checks: JwtChecks;

  /** @throws InvalidArgumentError with a sentence for an option that cannot work */
  constructor(options: JwtTokensOptions) {
    this.settings = settle(options);
    const { algorithms, clockTolerance, issuer } = this.settings;
    this.keys = issuerKeys(this.settings, this);
    this.checks = { algorithms: [...algorithms], clockTolerance, issuer, typ: 'at+jwt', requiredClaims: REQUIRED };
  }

  /**
   * @throws InvalidTokenError for one that is over, or for another resource; TemporarilyUnavailableError when there are no keys
   */
  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    if (accessToken.length > LONGEST) return undefined;
    const { settings } = this;
    const claims = await this.verified(accessToken);
    if (!claims || !isWellFormed(claims)) return undefined;
    const objection = objectionTo(claims, settings);
    if (objection) throw refusal(objection);
    if (settings.isRevoked && (await settings.isRevoked(claims))) return undefined;
    return tokenOf(claims, accessToken, expiryOf(claims)! + settings.clockTolerance * 1000);
  }

  /** The claims of a token whose signature is good and whose time has not passed. */
  private async verified(token: string): Promise<JWTPayload | undefined> {
    try {
      return (await verifyJwt(token, this.keys, this.checks)).payload;
    } catch (error) {
      return rejected(error);
    }
  }
}

/** What is wrong with a token is no fault; that there are no keys is one. */
function rejected(error: unknown): undefined {
  if (error instanceof errors.JWTExpired) throw new InvalidTokenError('Invalid token: access token has expired');
  if (isNotVerified(error)) return undefined;
  throw error;
}

/** Members that this library reads are what they must be: a server of its own kind may have signed anything. */
function isWellFormed(claims: JWTPayload): claims is JWTPayload & TokenClaims {
  const { aud, client_id: clientId, sub, scope, jti } = claims;
  const isScope = scope === undefined || typeof scope === 'string';
  const texts: unknown[] = [clientId, sub, jti, ...(Array.isArray(aud) ? aud : [aud])];
  return texts.every((one) => typeof one === 'string' && one !== '') && isScope;
}
