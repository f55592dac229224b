import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { importJWK, SignJWT } from 'jose';
import { IntrospectedTokens } from 'nest-oauth2/features';
import { signedResponses } from 'nest-oauth2/jose';
import { IntrospectionServer, json } from '../../support/introspection-server.js';

const TYPE = 'application/token-introspection+jwt';
const [mine, foreign] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const SAID = { active: true, client_id: 'app', sub: 'alice', scope: 'read', exp: Math.floor(Date.now() / 1000) + 300 };

/** Who signs, and what; as the server does it, where nothing else is said. */
interface Answer {
  claims?: object;
  typ?: string;
  by?: typeof mine;
  age?: number;
  kid?: string;
}

describe('an API that believes signed answers alone', () => {
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

  function asked(reply: (typeof server.replies)[string]) {
    server.replies = {
      '/introspect': reply,
      '/jwks': json({ keys: [{ ...mine!.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }] }),
    };
    const tokens = new IntrospectedTokens({
      issuer: server.url,
      introspectionEndpoint: `${server.url}/introspect`,
      credentials: { id: 'api', secret: 'secret' },
      answers: signedResponses({ issuer: server.url, jwksUri: `${server.url}/jwks` }),
    });
    return tokens.getAccessToken('a-token');
  }

  const as = (text: string, type = TYPE) => json(text, 200, { 'content-type': type });

  it('asks for them by their type, and knows the token', async () => {
    const token = await asked(as(await signed()));
    expect(token).toMatchObject({ client: { id: 'app' }, user: { id: 'alice' }, scope: 'read' });
    expect(server.received.find(({ path }) => path === '/introspect')!.headers['accept']).toBe(TYPE);
  });

  it('is told by one that a token is not good', async () => {
    expect(await asked(as(await signed({ claims: { token_introspection: { active: false } } })))).toBeUndefined();
  });

  it.each<[string, Answer]>([
    ['another key', { by: foreign! }],
    ['a key of a name that nobody knows', { kid: 'other' }],
    ['another server', { claims: { iss: 'https://elsewhere.example' } }],
    ['this server, for another client', { claims: { aud: 'another-api' } }],
    ['this server, as an access token', { typ: 'at+jwt' }],
    ['this server, a while ago', { age: 120 }],
    ['this server, and says nothing', { claims: { token_introspection: undefined } }],
  ])('is not fooled by an answer that is of %s: 503, and no token is called bad', async (_, answer) => {
    await expect(asked(as(await signed(answer)))).rejects.toMatchObject({ code: 503 });
  });

  it.each<[string, () => Promise<ReturnType<typeof json>>]>([
    ['plain JSON', async () => json(SAID)],
    ['a JWT that is called JSON', async () => as(JSON.stringify(await signed()), 'application/json')],
    ['a JWT whose signature is cut off', async () => as((await signed()).replace(/[^.]+$/, ''))],
    ['nothing', async () => as('')],
  ])('is not content with %s', async (_, reply) => {
    await expect(asked(await reply())).rejects.toMatchObject({ code: 503 });
  });

  it.each<[string, () => unknown]>([
    ['`signedAnswers()` needs the `issuer` of the authorization server', () => signedResponses({} as never)],
    ['`isuer`', () => signedResponses({ isuer: 'https://id.example' } as never)],
    [
      'takes as `answers` what `signedAnswers()` returns',
      () =>
        new IntrospectedTokens({
          issuer: 'https://id.example',
          credentials: { id: 'a', secret: 'b' },
          answers: signedResponses as never,
        }),
    ],
  ])('says what is wrong with how it is set up: %s', (sentence, make) => {
    expect(make).toThrow(sentence);
  });
});
