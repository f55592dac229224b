import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Module } from 'nest-oauth2';
import { serverMetadata } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { pages } from 'nest-oauth2/pages';
import { reportOn } from 'nest-oauth2/report';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { DEPLOYMENT_RULES } from '../../../src/report/deployment/rules.js';
import { freePort } from '../../support/environment/free-port.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { TlsServer } from '../../support/servers/tls-server.js';
import { rulesOf, SECRET, users } from './reported-server.js';

const ALL = ['info', 'low', 'medium', 'high'];
const reported = async (url: string) => (await reportOn([], { url })).findings;

describe.each(PLATFORMS)('a correct deployment on %s', (platform) => {
  afterAll(stopApplications);

  it('has no findings from outside, except facts', async () => {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const features = [pages(), serverMetadata(), keys({ secret: SECRET })];
    const imports = [OAuth2Module.forRoot({ model: new MemoryStore({ users }), secret: SECRET, issuer, features })];
    await startApplication(platform, { imports }, { port });
    const findings = await reported(issuer);
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    // The loopback issuer is a fact, and Nest names Express in a header.
    const facts = ['metadata-http-endpoint', ...(platform === 'express' ? ['server-named'] : [])];
    expect(rulesOf(findings, ALL)).toEqual(facts);
  });
});

type Faults = Partial<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>;

const PAGE = {
  'content-type': 'text/html',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

describe('a weak deployment', () => {
  let server: Server;
  let url: string;
  let faults: Faults = {};
  let metadata: (request: IncomingMessage) => object;

  /** A deployment without findings, whose responses a test replaces by path. */
  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url!.split('?', 1)[0]!;
      const fault = faults[path];
      if (fault) return fault(request, response);
      if (path === '/.well-known/oauth-authorization-server')
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata(request)));
      if (path === '/oauth/authorize') return response.writeHead(400, PAGE).end('<h1>Error</h1>');
      if (path === '/oauth/login') {
        const cookie = 'csrf=1; HttpOnly; SameSite=Lax';
        return response.writeHead(200, { ...PAGE, 'set-cookie': cookie }).end('<form method="post"></form>');
      }
      if (path === '/oauth/token')
        return response.writeHead(request.method === 'OPTIONS' ? 204 : 400, { 'cache-control': 'no-store' }).end('{}');
      if (path === '/oauth/jwks') return response.end('{"keys":[{"kty":"EC","kid":"1"}]}');
      return response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  afterEach(() => {
    faults = {};
    metadata = correct;
  });
  const correct = () => ({
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    jwks_uri: `${url}/oauth/jwks`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
  metadata = correct;
  const page =
    (headers: Record<string, string | undefined>, body = '') =>
    (_: IncomingMessage, response: ServerResponse) => {
      const given = Object.entries({ ...PAGE, ...headers }).flatMap(([name, value]) => (value ? [[name, value]] : []));
      response.writeHead(400, Object.fromEntries(given) as Record<string, string>).end(body);
    };
  const answer =
    (status: number, headers: Record<string, string>, body = '') =>
    (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(status, headers).end(body);

  it('has no findings as long as nothing is wrong', async () => {
    expect(rulesOf(await reported(url))).toEqual([]);
  });

  const CASES: Record<string, () => void> = {
    'metadata-not-found': () => (metadata = () => []),
    'metadata-other-issuer': () => (metadata = () => ({ ...correct(), issuer: 'https://other.company.com' })),
    'metadata-weak-algorithm': () =>
      (metadata = () => ({ ...correct(), request_object_signing_alg_values_supported: ['none', 'ES256'] })),
    'metadata-no-pkce': () => (metadata = () => ({ ...correct(), code_challenge_methods_supported: undefined })),
    'metadata-old-grants': () =>
      (metadata = () => ({ ...correct(), grant_types_supported: ['authorization_code', 'password'] })),
    'metadata-no-iss': () =>
      (metadata = () => ({ ...correct(), authorization_response_iss_parameter_supported: false })),
    'host-trusted': () =>
      (faults['/oauth/authorize'] = (request, response) =>
        page({}, `<a href="https://${String(request.headers['x-forwarded-host'])}/">`)(request, response)),
    'page-frameable': () => (faults['/oauth/authorize'] = page({ 'content-security-policy': "default-src 'none'" })),
    'page-without-csp': () =>
      (faults['/oauth/authorize'] = page({ 'content-security-policy': "frame-ancestors 'none'" })),
    'page-leaks-referrer': () => (faults['/oauth/authorize'] = page({ 'referrer-policy': 'unsafe-url' })),
    'page-cacheable': () => (faults['/oauth/authorize'] = page({ 'cache-control': 'max-age=60' })),
    'cookie-flags': () => (faults['/oauth/login'] = page({ 'set-cookie': 'session=s3cr3t; SameSite=Lax' })),
    'cors-at-authorization': () => (faults['/oauth/authorize'] = page({ 'access-control-allow-origin': '*' })),
    'cors-with-credentials': () =>
      (faults['/oauth/token'] = (request, response) =>
        void response
          .writeHead(400, {
            'cache-control': 'no-store',
            'access-control-allow-origin': request.headers.origin ?? '*',
            'access-control-allow-credentials': 'true',
          })
          .end()),
    'token-response-cacheable': () => (faults['/oauth/token'] = answer(400, {})),
    'server-error': () => (faults['/oauth/token'] = answer(500, { 'cache-control': 'no-store' })),
    'stack-trace-shown': () => (faults['/oauth/authorize'] = page({}, 'Error: x\n    at run (/srv/app/main.js:1:2)')),
    'keys-published-wrongly': () =>
      (faults['/oauth/jwks'] = answer(200, {}, '{"keys":[{"kty":"EC","kid":"1","d":"s3cr3t"}]}')),
    'clock-skew': () =>
      (faults['/.well-known/oauth-authorization-server'] = (_, response) =>
        void response
          .writeHead(200, { date: new Date(Date.now() - 120_000).toUTCString() })
          .end(JSON.stringify(correct()))),
  };

  it.each(Object.entries(CASES))('has the finding `%s`, and no other', async (rule, seed) => {
    seed();
    const findings = await reported(url);
    expect(rulesOf(findings)).toEqual([rule]);
    expect(JSON.stringify(findings)).not.toContain('s3cr3t');
  });

  it('is reported if a forged scheme changes URLs', async () => {
    const tls = new TlsServer();
    await tls.start();
    const base = (request: IncomingMessage) =>
      `${String(request.headers['x-forwarded-proto'] ?? 'https')}://${request.headers.host}`;
    tls.replies['/.well-known/oauth-authorization-server'] = (response, request) =>
      response.end(JSON.stringify({ issuer: base(request) }));
    const findings = await reported(`https://127.0.0.1:${tls.port}`);
    await tls.stop();
    // The certificate of the test signs itself, and there is no HSTS. A forged `Host` changes the issuer.
    expect(rulesOf(findings)).toEqual(['host-trusted', 'hsts-missing', 'scheme-trusted']);
    // A loopback address has no certificate of a public authority.
    expect(rulesOf(findings, ['info'])).toEqual(['tls-untrusted']);
  });

  it('is only one finding if it does not answer', async () => {
    expect(rulesOf(await reported(`http://127.0.0.1:${await freePort()}`), ALL)).toEqual(['deployment-unreachable']);
  });

  it('gets at most 20 requests, each with a limited response', async () => {
    let count = 0;
    const flood = createServer((request, response) => {
      count += 1;
      const body = request.url!.includes('oauth-authorization-server') ? JSON.stringify(correctAt(flood)) : undefined;
      if (body) return response.end(body);
      response.writeHead(200, { 'content-type': 'text/html' });
      // The callback gets an error after the connection was closed.
      const write = (): unknown => response.write('x'.repeat(65_536), (error) => error ?? write());
      return write();
    });
    await new Promise<void>((resolve) => {
      flood.listen(0, '127.0.0.1', resolve);
    });
    const { url: base } = { url: `http://127.0.0.1:${(flood.address() as AddressInfo).port}` };
    await reported(base);
    flood.closeAllConnections();
    flood.close();
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThanOrEqual(20);
  });
  const correctAt = (one: Server) => {
    const base = `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
    return JSON.parse(JSON.stringify(correct()).replaceAll(url, base)) as object;
  };

  it('must be an http URL', async () => {
    await expect(reported('file:///etc/passwd')).rejects.toThrow('must be an https URL');
    await expect(reported('id.company.com')).rejects.toThrow('must be an https URL');
  });

  const elsewhere = 'https://keys.company.com/jwks';
  const named = (headers: object) => ({ document: { headers } });
  const at = (issuer: string) => ({ url: new URL(issuer), metadata: { issuer, jwks_uri: `${issuer}/jwks` } });
  const FACTS: Record<string, readonly [trips: object, fine: object]> = {
    'metadata-http-endpoint': [at('http://id.company.com'), at('https://id.company.com')],
    'metadata-other-origin': [
      { ...at('https://id.company.com'), metadata: { jwks_uri: elsewhere } },
      at('https://id.company.com'),
    ],
    'server-named': [named({ 'x-powered-by': 'Express' }), named({ server: 'nginx' })],
  };
  const REMOTE: Record<string, readonly [trips: object, fine: object]> = {
    'http-answered': [{ plain: { status: 200, headers: {} } }, { plain: { status: 301, headers: {} } }],
    'tls-expires': [{ tls: { validUntil: Date.now() + 86_400_000 } }, { tls: { validUntil: Date.now() + 2e9 } }],
    'tls-old-version': [{ tls: { acceptsOldVersion: true } }, { tls: { acceptsOldVersion: false } }],
  };

  it.each(Object.entries({ ...FACTS, ...REMOTE }))('has the finding `%s` by its facts alone', (id, [trips, fine]) => {
    const { judge } = DEPLOYMENT_RULES.find((rule) => rule.id === id)!;
    expect([...judge(trips as never)]).toHaveLength(1);
    expect([...judge(fine as never)]).toEqual([]);
  });

  it('has a case for each rule', () => {
    const tested = [...Object.keys(CASES), 'deployment-unreachable', 'scheme-trusted', 'tls-untrusted', 'hsts-missing'];
    const ids = DEPLOYMENT_RULES.map(({ id }) => id);
    expect([...tested, ...Object.keys({ ...FACTS, ...REMOTE })].toSorted()).toEqual(ids.toSorted());
  });
});
