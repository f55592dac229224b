import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';

export const seconds = () => Math.floor(Date.now() / 1000);

/** A separate issuer of signed JWTs, such as another authorization server. */
export class ForeignIssuer {
  private constructor(
    readonly issuer: string,
    readonly alg: string,
    readonly privateKey: CryptoKey,
    readonly jwk: Record<string, unknown>,
    /** The private key as a JWK, for a server under test that uses the same key. */
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

  /** Signs a JWT that expires after five minutes, unless `claims` sets `exp`. A claim of `undefined` is omitted. */
  sign(claims: object, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const defaults = { iss: this.issuer, iat: seconds(), exp: seconds() + 300, jti: crypto.randomUUID() };
    return new SignJWT({ ...defaults, ...claims })
      .setProtectedHeader({ alg: this.alg, kid: String(this.jwk['kid']), ...header })
      .sign(this.privateKey);
  }
}
