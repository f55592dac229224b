import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { ProtectedResourceModel, Token } from '../../model/model.js';
import { expiryOf, findClaimsError, rejectionError, tokenFromClaims } from '../../remote/token-claims.js';
import { issuerKeys } from '../issuer-keys.js';
import { type JwtChecks, verifyJwt } from '../verify-jwt.js';
import { readClaims, verifyType } from './access-token-claims.js';
import { toRejection, rejected } from './rejection.js';
import { type JwtTokensOptions, type Settings, settle } from './settings.js';

/** Maximum number of characters of an access token; headers of HTTP are rarely longer. */
const MAX_LENGTH = 16_384;

/**
 * The model of an API that verifies JWT access tokens of another authorization server by its public keys, which are fetched
 * and cached. Each failed check rejects the token with a reason of its own, in the log too. RFC 9068 §4
 */
export class JwtTokens implements ProtectedResourceModel {
  declare readonly getClient?: undefined;
  declare readonly saveToken?: undefined;
  private readonly settings: Settings;
  private readonly keys: JWTVerifyGetKey;
  private readonly checks: JwtChecks;

  /** @throws {InvalidArgumentError} For an invalid option. */
  constructor(options: JwtTokensOptions) {
    this.settings = settle(options);
    const { algorithms, clockTolerance, issuer } = this.settings;
    this.keys = issuerKeys(this.settings, this);
    this.checks = { algorithms: [...algorithms], clockTolerance, issuer };
  }

  /**
   * @throws {InvalidTokenError} With the reason, if the token is not a valid access token of the issuer for this API.
   * @throws {TemporarilyUnavailableError} If the keys of the issuer cannot be fetched.
   */
  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    const { settings } = this;
    // An opaque token is no JWT at all: it gets the usual response to an unknown token.
    if (accessToken.length > MAX_LENGTH || accessToken.split('.').length !== 3) {
      throw rejected('it is not a signed JWT', { reason: 'the token is a JWS in compact form' });
    }
    const claims = await this.verify(accessToken);
    const found = readClaims(claims, settings);
    const objection = findClaimsError(found, settings);
    if (objection) throw rejectionError(objection);
    if (settings.isRevoked && (await settings.isRevoked(claims))) {
      throw rejected('it was revoked', { reason: '`isRevoked()` accepts the token' });
    }
    const expiresAt = expiryOf(found)! + settings.clockTolerance * 1000;
    return tokenFromClaims(found, accessToken, expiresAt, settings.isClientCredentials?.(claims));
  }

  /** Returns the claims of a token with a valid signature, type and lifetime. @throws {InvalidTokenError} With the reason. */
  private async verify(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await verifyJwt(token, this.keys, this.checks);
      verifyType(protectedHeader.typ, this.settings);
      return payload;
    } catch (error) {
      throw toRejection(error, token, this.settings);
    }
  }
}
