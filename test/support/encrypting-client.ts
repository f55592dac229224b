import { CompactEncrypt, type CompactJWEHeaderParameters, importJWK } from 'jose';
import { type OAuth2Server, Request, Response } from 'nest-oauth2/server';

/** What a server publishes that others may encrypt to. */
export interface PublishedKey {
  kid: string;
  alg: string;
  use?: string;
  kty: string;
  crv?: string;
}

/** The keys of a server, as a client fetches them. */
export async function publishedKeys(server: OAuth2Server, use?: string): Promise<PublishedKey[]> {
  const response = new Response();
  await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), response);
  const { keys } = response.body as { keys: PublishedKey[] };
  return use === undefined ? keys : keys.filter((key) => key.use === use);
}

/** Encrypts to a key of a server, as an independent client does it. */
export async function encryptTo(jwk: PublishedKey, text: string, header: Partial<CompactJWEHeaderParameters> = {}) {
  const alg = header.alg ?? jwk.alg;
  return await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg, enc: 'A128CBC-HS256', kid: jwk.kid, cty: 'JWT', ...header })
    .encrypt(await importJWK({ ...jwk }, alg));
}
