import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { importJWK, SignJWT } from 'jose';
import { IntrospectedTokens } from 'nest-oauth2/features';
import { signedResponses } from 'nest-oauth2/jose';
import { IntrospectionServer, json } from '../../support/servers/introspection-server.js';

const TYPE = 'application/token-introspection+jwt';
const [mine, foreign] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const SAID = { active: true, client_id: 'app', sub: 'alice', scope: 'read', exp: Math.floor(Date.now() / 1000) + 300 };

/** The changed properties of a signed introspection response. The others are those of a valid response. */
interface Answer {
  claims?: object;
  typ?: string;
  by?: typeof mine;
  age?: number;
  kid?: string;
}

describe('IntrospectedTokens that require signed introspection responses', () => {
  const server = new IntrospectionServer();

  beforeAll(() => server.start());
  afterEach(() => {
    server.replies = {};
  });
  afterAll(() => server.stop());

  async function signed({ claims, typ = 'token-introspection+jwt', by = mine, age = 0, kid = 'k' }: Answer = {}) {
    const iat = Math.floor(Date.now() / 1000) - age;
    const key = await importJWK(by!.privateKey.export({ format: 'jwk' }), 'ES256');
    return new SignJWT({ iss: server.url, aud: 'api', iat, token_introspection: SAID, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ, kid })
      .sign(key);
  }

  function requested(reply: (typeof server.replies)[string]) {
    server.replies = {
      '/introspect': reply,
      '/jwks': json({ keys: [{ ...mine!.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }] }),
    };
    const tokens = new IntrospectedTokens({
      issuer: server.url,
      introspectionEndpoint: `${server.url}/introspect`,
      credentials: { id: 'api', secret: 'secret' },
      audience: null,
      responses: signedResponses({ issuer: server.url, jwksUri: `${server.url}/jwks` }),
    });
    return tokens.getAccessToken('a-token');
  }

  const as = (text: string, type = TYPE) => json(text, 200, { 'content-type': type });

  it('request signed responses by media type, and return the token', async () => {
    const token = await requested(as(await signed()));
    expect(token).toMatchObject({ client: { id: 'app' }, user: { id: 'alice' }, scope: 'read' });
    expect(server.received.find(({ path }) => path === '/introspect')!.headers['accept']).toBe(TYPE);
  });

  it('return no token if the response reports an inactive one', async () => {
    expect(await requested(as(await signed({ claims: { token_introspection: { active: false } } })))).toBeUndefined();
  });

  it.each<[string, Answer]>([
    ['if it is signed with another key', { by: foreign! }],
    ['if it has an unknown `kid`', { kid: 'other' }],
    ['if it is from another server', { claims: { iss: 'https://elsewhere.example' } }],
    ['if it is for another client', { claims: { aud: 'another-api' } }],
    ['if it has the type of an access token', { typ: 'at+jwt' }],
    ['if it is two minutes old', { age: 120 }],
    ['if it contains no result', { claims: { token_introspection: undefined } }],
  ])('reject a signed response with 503 %s', async (_, answer) => {
    await expect(requested(as(await signed(answer)))).rejects.toMatchObject({ code: 503 });
  });

  it.each<[string, () => Promise<ReturnType<typeof json>>]>([
    ['plain JSON', async () => json(SAID)],
    ['a JWT with the content type JSON', async () => as(JSON.stringify(await signed()), 'application/json')],
    ['a JWT without a signature', async () => as((await signed()).replace(/[^.]+$/, ''))],
    ['an empty response', async () => as('')],
  ])('reject %s with 503', async (_, reply) => {
    await expect(requested(await reply())).rejects.toMatchObject({ code: 503 });
  });

  it.each<[string, () => unknown]>([
    [
      '`signedResponses()` requires `issuer`: the issuer identifier of the authorization server',
      () => signedResponses({} as never),
    ],
    ['`isuer`', () => signedResponses({ isuer: 'https://id.example' } as never)],
    [
      '`responses` of IntrospectedTokens must be the result of `signedResponses()`',
      () =>
        new IntrospectedTokens({
          issuer: 'https://id.example',
          credentials: { id: 'a', secret: 'b' },
          audience: null,
          responses: signedResponses as never,
        }),
    ],
  ])('reject invalid options: %s', (sentence, make) => {
    expect(make).toThrow(sentence);
  });
});
