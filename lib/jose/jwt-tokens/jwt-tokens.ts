import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { ProtectedResourceModel, Token } from '../../model/model.js';
import { expiryOf, findClaimsError, rejectionError, tokenFromClaims } from '../../remote/token-claims.js';
import { issuerKeys } from '../issuer-keys.js';
import { VerifiedSignatures } from '../verified-signatures.js';
import { type JwtChecks, verifyJwt } from '../verify-jwt.js';
import { readClaims, verifyType } from './access-token-claims.js';
import { toRejection, rejected } from './rejection.js';
import { type JwtTokensOptions, type Settings, settle } from './settings.js';

/** Maximum number of characters of an access token. HTTP headers are rarely longer. */
const MAX_LENGTH = 16_384;

/**
 * A model for an API that accepts JWT access tokens of another authorization server. It verifies them with the public
 * keys of that server, which it fetches and caches. Each failed check has its own reason in the response and in the
 * log. RFC 9068 §4
 */
export class JwtTokens implements ProtectedResourceModel {
  declare readonly getClient?: undefined;
  declare readonly saveToken?: undefined;
  private readonly settings: Settings;
  private readonly keys: JWTVerifyGetKey;
  private readonly checks: JwtChecks;

  /** @throws {InvalidArgumentError} If an option is invalid. */
  constructor(options: JwtTokensOptions) {
    this.settings = settle(options);
    const { algorithms, clockTolerance, issuer } = this.settings;
    this.keys = issuerKeys(this.settings, this);
    this.checks = { algorithms: [...algorithms], clockTolerance, issuer, verified: new VerifiedSignatures() };
  }

  /**
   * Verifies an access token and returns its properties.
   * @throws {InvalidTokenError} If the token is not a valid access token of the issuer for this API.
   * @throws {TemporarilyUnavailableError} If the keys of the issuer cannot be fetched.
   */
  async getAccessToken(accessToken: string): Promise<Token | undefined> {
    const { settings } = this;
    // An opaque token gets the same response as a JWT that is not signed.
    if (accessToken.length > MAX_LENGTH || accessToken.split('.').length !== 3) {
      throw rejected('the token is not a signed JWT', { reason: 'token is not a JWS in compact form' });
    }
    const claims = await this.verify(accessToken);
    const tokenClaims = readClaims(claims, settings);
    const claimsError = findClaimsError(tokenClaims, settings);
    if (claimsError) throw rejectionError(claimsError);
    if (settings.isRevoked && (await settings.isRevoked(claims))) {
      throw rejected('the token was revoked', { reason: '`isRevoked()` returned true for the token' });
    }
    const expiresAt = expiryOf(tokenClaims)! + settings.clockTolerance * 1000;
    return tokenFromClaims(tokenClaims, accessToken, expiresAt, settings.isClientCredentials?.(claims));
  }

  /**
   * Verifies the signature, the type and the lifetime of a token, and returns its claims.
   * @throws {InvalidTokenError} If the token is invalid.
   */
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
