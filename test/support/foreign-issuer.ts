import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';

export const seconds = () => Math.floor(Date.now() / 1000);

/** Another authorization server, as far as it signs JWTs. */
export class ForeignIssuer {
  private constructor(
    readonly issuer: string,
    readonly alg: string,
    readonly privateKey: CryptoKey,
    readonly jwk: Record<string, unknown>,
    /** For a server of our own that has the same keys. */
    readonly privateJwk: Record<string, unknown>,
  ) {}

  static async make(issuer: string, alg = 'ES256', kid = 'one'): Promise<ForeignIssuer> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const [jwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
    return new ForeignIssuer(issuer, alg, privateKey, { ...jwk, alg, kid }, { ...privateJwk, alg, kid });
  }

  get jwks() {
    return { keys: [this.jwk] };
  }

  /** A JWT of its own, good for five minutes unless the claims say otherwise; `undefined` leaves a claim out. */
  sign(claims: object, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const defaults = { iss: this.issuer, iat: seconds(), exp: seconds() + 300, jti: crypto.randomUUID() };
    return new SignJWT({ ...defaults, ...claims })
      .setProtectedHeader({ alg: this.alg, kid: String(this.jwk['kid']), ...header })
      .sign(this.privateKey);
  }
}
