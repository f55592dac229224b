import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { introspection, IntrospectedTokens, tokenExchange } from 'nest-oauth2/features';
import { jwtAccessTokens, JwtTokens, keys, type JwkSet } from 'nest-oauth2/jose';
import { clientItself, isClientItself, OAuth2Server, Request, Response, type Token } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { basic, FORM, resourceRequest } from '../../support/clients/requests.js';

// RFC 9068 §2.2, §5; RFC 9700 §4.15

const ISSUER = 'https://id.example.com';
const SECRET = 'secret';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS = 'urn:ietf:params:oauth:token-type:access_token';
const from = [{ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), kid: 'k' }];

/** IDs of clients, and of users. Some are equal. */
const CLIENTS = ['one', 'two'] as const;
const USERS = ['one', 'two', 'alice'] as const;
const grants = ['password', 'client_credentials', EXCHANGE];

class Store extends MemoryStore {
  constructor() {
    const clients = [...CLIENTS, 'api'].map((id) => ({ id, secret: SECRET, scopes: ['read'], grants }));
    super({ clients, users: { findById: (id) => ({ id }), findByCredentials: (id) => ({ id }) } });
  }
  mayExchange = () => true;
  mayIntrospect = () => true;
}

interface Body {
  access_token?: string;
  error?: string;
}

const isJwtOf = { opaque: false, jwt: true };
type Format = keyof typeof isJwtOf;

function issuerOf(format: Format) {
  const jwt = isJwtOf[format] ? [keys({ from }), jwtAccessTokens()] : [];
  const features = [tokenExchange(), introspection(), ...jwt];
  const server = new OAuth2Server({ model: new Store(), issuer: ISSUER, features });
  const post = async (id: string, body: object, endpoint?: string): Promise<Body> => {
    const response = new Response();
    const request = new Request({
      method: 'POST',
      headers: { ...FORM, authorization: basic(id, SECRET) },
      query: {},
      body,
    });
    const call = endpoint === undefined ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    return response.body as Body;
  };
  return { server, post };
}

/** The APIs that the library has: of the same server, and separate ones that verify or introspect tokens. */
async function apisOf(format: Format, { server, post }: ReturnType<typeof issuerOf>) {
  const introspect = async (_url: unknown, { body }: RequestInit = {}) => {
    const form = Object.fromEntries(new URLSearchParams(String(body)));
    return globalThis.Response.json(await post('api', form, 'introspection'));
  };
  const credentials = { id: 'api', secret: SECRET };
  const introspectionEndpoint = `${ISSUER}/introspect`;
  const options = { issuer: ISSUER, introspectionEndpoint, credentials, audience: null, fetch: introspect as never };
  const apis = [server, new OAuth2Server({ model: new IntrospectedTokens(options) })];
  if (format === 'opaque') return apis;
  const response = new Response();
  await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), response);
  const model = new JwtTokens({ issuer: ISSUER, audience: ISSUER, jwks: response.body as JwkSet });
  return [...apis, new OAuth2Server({ model })];
}

describe('the subject of an access token', () => {
  it.each(['opaque', 'jwt'] as const)('is the same user or client for the issuer and every API: %s', async (format) => {
    const issuer = issuerOf(format);
    const apis = await apisOf(format, issuer);
    const client = fc.constantFrom(...CLIENTS);
    const first = fc.record({ client, user: fc.option(fc.constantFrom(...USERS)) });
    await fc.assert(
      fc.asyncProperty(first, fc.array(client, { maxLength: 3 }), async ({ client: id, user }, exchangers) => {
        const form =
          user === null
            ? { grant_type: 'client_credentials' }
            : { grant_type: 'password', username: user, password: 'x' };
        let issuedTo = id;
        let body = await issuer.post(id, { scope: 'read', ...form });
        for (const exchanger of exchangers) {
          if (!body.access_token) break;
          issuedTo = exchanger;
          body = await issuer.post(exchanger, {
            grant_type: EXCHANGE,
            subject_token: body.access_token,
            subject_token_type: ACCESS,
          });
        }
        expect(body.error).toBe(user === issuedTo ? 'unauthorized_client' : undefined);
        if (body.error) return;
        for (const api of apis) {
          const { user: found }: Token = await api.authenticate(
            resourceRequest(`Bearer ${body.access_token}`),
            new Response(),
          );
          expect(isClientItself(found)).toBe(user === null);
          expect(found['id']).toBe(user ?? clientItself({ id })['id']);
        }
      }),
      { numRuns: 150 },
    );
  });
});
