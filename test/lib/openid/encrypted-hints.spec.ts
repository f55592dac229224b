import { describe, expect, it, jest } from '@jest/globals';
import { encryption, type Jwk } from 'nest-oauth2/jose';
import { OPENID } from 'nest-oauth2/openid';
import { Request } from 'nest-oauth2/server';

import { findKeys } from '../../../lib/jose/keys/find-keys.js';
import { readLogoutRequest } from '../../../lib/openid/logout/logout-request.js';
import { type ClientShape, clientShapes, withoutSector } from '../../support/clients/client-shapes.js';
import { CALLBACK, EC, ED, ISSUER, openIdServer, RSA } from '../../support/servers/openid-server.js';
import { decrypted, recipient } from '../../support/models/recipients.js';
import { encryptTo, type PublishedKey, publishedKeys } from '../../support/clients/encrypting-client.js';

const mine = recipient('P-256', { use: 'enc', kid: 'mine' });
const theirs: Jwk = { ...recipient('P-256').key.export({ format: 'jwk' }), use: 'enc', kid: 'theirs' };
const encrypted = { idTokenEncryptedResponseAlg: 'ECDH-ES', jwks: { keys: [mine.jwk] } };

interface Setting {
  client?: object;
  encryptedHints?: boolean;
}

async function openWith(shape: ClientShape, { client = encrypted, encryptedHints = true }: Setting) {
  const server = await openIdServer({
    from: [EC, RSA, ED, theirs],
    more: [encryption()],
    client: { postLogoutRedirectUris: ['https://app.example/bye'], ...withoutSector(shape), ...client },
    encryptedHints,
  });
  const { id_token } = await server.signIn();
  const signed = id_token.split('.').length === 3 ? id_token : (await decrypted(id_token, mine.key)).text;
  const [to] = await publishedKeys(server.server, 'enc');
  const silently = async (id_token_hint: string) =>
    (await server.authorize({ prompt: 'none', id_token_hint })).parameters;
  const logout = (query: object) =>
    readLogoutRequest(new Request({ method: 'GET', headers: {}, query }), server.server.context);
  const decryptions = jest.spyOn(findKeys(server.server.context)!, 'decryptionKey');
  return { ...server, id_token, signed, to: to!, silently, logout, decryptions };
}
const REFUSED = { error: 'invalid_request', error_description: 'Invalid parameter: `id_token_hint`' };

describe.each(clientShapes(CALLBACK))(
  'an encrypted id_token_hint of a client with redirect URIs of $shape',
  (shape) => {
    const setUp = (setting: Setting = {}) => openWith(shape, setting);

    it('is accepted like the ID token in it', async () => {
      const { signed, silently, to, decryptions } = await setUp();
      expect((await silently(await encryptTo(to, signed)))['code']).toEqual(expect.any(String));
      expect(decryptions).toHaveBeenCalledTimes(1);
      expect((await silently(signed))['code']).toEqual(expect.any(String));
    });

    it('signs the user out if the request names the client', async () => {
      const { signed, logout, to } = await setUp();
      const id_token_hint = await encryptTo(to, signed);
      const query = { id_token_hint, post_logout_redirect_uri: 'https://app.example/bye' };
      expect(await logout({ ...query, client_id: 'web' })).toMatchObject({
        client: { id: 'web' },
        hint: { sub: 'alice' },
        redirect: 'https://app.example/bye',
      });
      for (const client_id of [undefined, 'other', 'nobody']) {
        await expect(logout({ ...query, client_id })).rejects.toMatchObject({ name: 'invalid_request' });
      }
      expect(await logout({ ...query, id_token_hint: signed })).toMatchObject({ hint: { sub: 'alice' } });
    });

    it.each<[string, (given: { signed: string; id_token: string; to: PublishedKey }) => Promise<string>]>([
      ['is the ID token as it was encrypted to the client', async ({ id_token }) => id_token],
      ['is encrypted to a signing key', ({ signed, to }) => encryptTo({ ...to, ...mine.jwk, kid: 'ec' }, signed)],
      ['is encrypted to another key', ({ signed, to }) => encryptTo({ ...to, ...mine.jwk, kid: to.kid }, signed)],
      ['is encrypted twice', async ({ signed, to }) => encryptTo(to, await encryptTo(to, signed))],
      ['is compressed', ({ signed, to }) => encryptTo(to, signed, { zip: 'DEF' })],
      [
        'is not signed',
        ({ to }) => encryptTo(to, JSON.stringify({ iss: ISSUER, sub: 'alice', aud: 'web', exp: 1, iat: 1 })),
      ],
    ])('is rejected if it %s', async (_, make) => {
      const { silently, ...given } = await setUp();
      expect(await silently(await make(given))).toMatchObject(REFUSED);
    });

    it('is not decrypted for a client with unencrypted ID tokens, or without a client', async () => {
      const { signed, silently, to, decryptions, server } = await setUp({ client: {} });
      const hint = await encryptTo(to, signed);
      expect(await silently(hint)).toMatchObject(REFUSED);
      expect(await server.context.find(OPENID)!.readHint(hint, ISSUER)).toBeUndefined();
      expect(decryptions).not.toHaveBeenCalled();
    });

    it('is not decrypted unless `encryptedHints` is true', async () => {
      const { signed, silently, to, decryptions } = await setUp({ encryptedHints: false });
      expect(await silently(await encryptTo(to, signed))).toMatchObject(REFUSED);
      expect(decryptions).not.toHaveBeenCalled();
    });

    it('requires a decryption key and encryption() at start-up', async () => {
      await expect(openIdServer({ encryptedHints: true, more: [encryption()] })).rejects.toThrow(
        'no key of `keys()` decrypts',
      );
      await expect(openIdServer({ encryptedHints: true, from: [RSA, theirs] })).rejects.toThrow(
        '`encryptedHints` of `openid()` requires `encryption()`',
      );
    });
  },
);
