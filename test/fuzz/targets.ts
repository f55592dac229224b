import { generateKeyPairSync } from 'node:crypto';
import { validateHeaderValue } from 'node:http';

import { parseForm } from '../../lib/adapter/content.js';
import { readCertificateNames } from '../../lib/clients/certificates/certificate-names.js';
import { readCertificateHeader } from '../../lib/features/mutual-tls/proxy-header.js';
import { chooseLanguage } from '../../src/pages/render/language.js';
import { BrowserCookie } from '../../src/pages/sessions/browser-cookie.js';
import { authorizationDetails, introspection, pushedRequests, registration } from 'nest-oauth2/features';
import { dpop, jwtBearer, privateKeyJwt, requestObjects } from 'nest-oauth2/jose';
import { OAuthError, Request, Response } from 'nest-oauth2/server';

import { CALLBACK, EC, openIdServer, RSA, SECRET } from '../support/servers/openid-server.js';
import { basic, CHALLENGE, FORM } from '../support/clients/requests.js';

type Parameters = Record<string, unknown>;

/** Reads hostile input, as the server does. It fails if the server breaks a rule. */
export type FuzzTarget = (input: Buffer) => Promise<void>;

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const decryption = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

const started = openIdServer({
  from: [EC, RSA, { ...decryption, kid: 'decryption', use: 'enc' }],
  client: { grants: ['authorization_code', 'client_credentials', JWT_BEARER] },
  model: { findAssertedUser: ({ sub }: { sub: string }) => ({ id: sub }) },
  more: [
    authorizationDetails({ types: { payment: {}, chat: {} } }),
    dpop(),
    introspection(),
    jwtBearer({ issuers: [{ issuer: 'https://as.example', jwks: { keys: [] } }] }),
    privateKeyJwt(),
    pushedRequests(),
    registration({ open: true }),
    requestObjects({ encrypted: {} }),
  ],
});

const USER = { authenticateHandler: { handle: () => ({ id: 'alice' }) } };

/** Sends a request and asserts that it is answered: with a success or an OAuth error, in valid headers and JSON. */
async function send(endpoint: string, request: ConstructorParameters<typeof Request>[0]): Promise<void> {
  const { server } = await started;
  const response = new Response();
  try {
    if (endpoint === 'authorize') await server.authorize(new Request(request), response, USER);
    else if (endpoint === 'authenticate') await server.authenticate(new Request(request), response);
    else if (endpoint === 'token') await server.token(new Request(request), response);
    else await server.handle(endpoint, new Request(request), response);
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code >= 500) throw error;
  }
  for (const [name, value] of Object.entries(response.headers)) validateHeaderValue(name, value);
  JSON.stringify(response.body);
}

const post = (endpoint: string, body: unknown, headers: Parameters = {}) =>
  send(endpoint, { method: 'POST', headers: { ...FORM, ...headers } as never, query: {}, body });

const authorize = (query: Parameters) =>
  send('authorize', {
    method: 'GET',
    headers: {},
    query: {
      response_type: 'code',
      client_id: 'web',
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: 'xyz',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...query,
    },
  });

const asWeb = { authorization: basic('web', SECRET) };
const api = (headers: Parameters) => send('authenticate', { method: 'GET', headers, query: {}, body: {} });

/** Returns the text as a header that Node.js would deliver: without control characters. */
const header = (input: Buffer) => input.toString('latin1').replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '');

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A JWT with the input as header and payload, separated by the first line feed. It has an invalid signature. */
const token = (input: Buffer) => {
  const text = input.toString();
  const end = text.includes('\n') ? text.indexOf('\n') : text.length;
  const [head, payload] = [text.slice(0, end), text.slice(end + 1)];
  return `${Buffer.from(head).toString('base64url')}.${Buffer.from(payload).toString('base64url')}.c2lnbmF0dXJl`;
};

const CLIENT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The cookies whose values differ in form, each with a valid value. */
const COOKIES = {
  'oauth2-session': 'v'.repeat(43),
  'oauth2-known-browser': `${'i'.repeat(22)}.${'m'.repeat(43)}`,
} as const;

/** Returns the cookie of a request with this `cookie` header. Asserts that it is a pair of the header. */
async function readCookie(cookies: string, kind: keyof typeof COOKIES): Promise<string | undefined> {
  const { context } = (await started).server;
  const request = new Request({ method: 'GET', headers: { cookie: cookies }, query: {} });
  const response = new Response();
  const cookie = new BrowserCookie(request, response, context, kind);
  cookie.issue(60);
  cookie.clear();
  for (const line of [response.headers['set-cookie']].flat()) validateHeaderValue('set-cookie', line!);
  const pair = cookie.value && new RegExp(`(?:^|;)[ \\t]*__Host-${kind}[ \\t]*=[ \\t]*${cookie.value}[ \\t]*(?:;|$)`);
  if (pair && !pair.test(cookies)) throw new Error(`Read ${cookie.value} from the cookies ${cookies}`);
  return cookie.value;
}

/** The parsers that strangers reach, by name. */
export const TARGETS: Record<string, FuzzTarget> = {
  form: (input) => post('token', parseForm(input.toString())),
  query: async (input) => {
    await authorize(parseForm(input.toString()));
    await send('authorize', { method: 'GET', headers: {}, query: parseForm(input.toString()) });
  },
  basic: async (input) => {
    const body = { grant_type: 'client_credentials' };
    await post('token', body, { authorization: header(input) });
    await post('token', body, { authorization: `Basic ${input.toString('base64')}` });
  },
  bearer: async (input) => {
    await api({ authorization: header(input) });
    await api({ authorization: `Bearer ${header(input)}` });
  },
  'redirect-uri': async (input) => {
    await authorize({ redirect_uri: input.toString() });
    await post('registration', { redirect_uris: [input.toString()] }, { 'content-type': 'application/json' });
  },
  scope: async (input) => {
    await authorize({ scope: input.toString() });
    await post('token', { grant_type: 'client_credentials', scope: input.toString() }, asWeb);
  },
  jws: async (input) => {
    const body = { grant_type: 'client_credentials', client_assertion_type: CLIENT_ASSERTION };
    for (const assertion of [input.toString(), token(input)]) {
      await post('token', { ...body, client_assertion: assertion });
      await post('token', { grant_type: JWT_BEARER, assertion }, asWeb);
      await authorize({ id_token_hint: assertion });
    }
  },
  'request-object': async (input) => {
    for (const request of [input.toString(), token(input)]) await authorize({ request });
    const [head = '', ...rest] = input.toString().split('\n');
    await authorize({
      request: [head, ...rest, '', '', '', '']
        .slice(0, 5)
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.'),
    });
  },
  dpop: async (input) => {
    for (const proof of [header(input), token(input)]) {
      await post('token', { grant_type: 'client_credentials' }, { ...asWeb, dpop: proof });
      await api({ authorization: 'DPoP token', dpop: proof });
    }
  },
  claims: (input) => authorize({ claims: input.toString() }),
  'authorization-details': async (input) => {
    await authorize({ authorization_details: input.toString() });
    await post(
      'pushed_authorization_request',
      { response_type: 'code', authorization_details: input.toString() },
      asWeb,
    );
  },
  metadata: (input) => post('registration', tryJson(input.toString()), { 'content-type': 'application/json' }),
  certificate: async (input) => {
    readCertificateNames(input);
    for (const name of ['client-cert', 'x-forwarded-client-cert', 'ssl-client-cert'])
      readCertificateHeader(name, header(input));
  },
  cookies: async (input) => {
    for (const [kind, value] of Object.entries(COOKIES) as [keyof typeof COOKIES, string][]) {
      const given = header(input);
      await readCookie(given, kind);
      await readCookie(`__Host-${kind}=${given}`, kind);
      // Cookies of other hosts of the domain must not hide the one of this server.
      const found = await readCookie(`${given}; __Host-${kind}=${value}`, kind);
      if (!given.includes(kind) && found !== value) throw new Error(`Read ${found} instead of ${value} after ${given}`);
    }
  },
  language: async (input) => {
    const languages = ['en', 'de', 'pt-BR', 'zh'];
    const chosen = chooseLanguage(languages, { acceptLanguage: header(input), uiLocales: input.toString() });
    if (!languages.includes(chosen)) throw new Error(`Chose the unavailable language ${chosen}`);
  },
};
