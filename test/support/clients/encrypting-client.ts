import { CompactEncrypt, type CompactJWEHeaderParameters, importJWK } from 'jose';
import { type OAuth2Server, Request, Response } from 'nest-oauth2/server';

/** A public key for encryption that a server publishes in its JWK set. */
export interface PublishedKey {
  kid: string;
  alg: string;
  use?: string;
  kty: string;
  crv?: string;
}

/** Returns the keys in the JWK set of a server. If `use` is set, only keys with this `use` are returned. */
export async function publishedKeys(server: OAuth2Server, use?: string): Promise<PublishedKey[]> {
  const response = new Response();
  await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), response);
  const { keys } = response.body as { keys: PublishedKey[] };
  return use === undefined ? keys : keys.filter((key) => key.use === use);
}

/** Encrypts a text to a public key of a server with `jose`, which is independent of this library. */
export async function encryptTo(jwk: PublishedKey, text: string, header: Partial<CompactJWEHeaderParameters> = {}) {
  const alg = header.alg ?? jwk.alg;
  return await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg, enc: 'A128CBC-HS256', kid: jwk.kid, cty: 'JWT', ...header })
    .encrypt(await importJWK({ ...jwk }, alg));
}
