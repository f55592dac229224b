import { EventEmitter } from 'node:events';
import { request as send } from 'node:http';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OAuth2Module, type OAuth2ModuleOptions, OAuthGuard, OptionalAuth } from 'nest-oauth2';
import { mcp, type McpOptions } from 'nest-oauth2/mcp';
import { SECRET } from '../../support/servers/demo.js';
import { McpController, mcpModule, mcpStore, NOTES } from '../../support/servers/mcp-application.js';
import {
  type Platform,
  PLATFORMS,
  startApplication,
  stopApplications,
  type TestApplicationOptions,
} from '../../support/servers/test-application.js';

const PRODUCTION = 'https://mcp.example';
const DEVELOPMENT = 'http://localhost:3000';

@Controller('mcp/tools')
@UseGuards(OAuthGuard)
class PublicTools {
  @Get()
  @OptionalAuth()
  list() {
    return [];
  }
}

@Controller('other')
@UseGuards(OAuthGuard)
class Other {
  @Get()
  read() {
    return 'other';
  }
}

interface Answer {
  status: number | undefined;
  challenge: string | undefined;
  body: string;
}

async function start(
  platform: Platform,
  issuer: string,
  options: McpOptions & Partial<Pick<OAuth2ModuleOptions, 'cors' | 'events'>> = {},
  host: TestApplicationOptions = {},
) {
  const { cors, events, ...ofProfile } = options;
  const features = [mcp({ ...NOTES, ...ofProfile })];
  const module = mcpModule({ issuer, features, ...(cors && { cors }), ...(events && { events }) });
  const controllers = [McpController, PublicTools, Other];
  const { url } = await startApplication(platform, { ...module, controllers }, host);
  return (headers: Record<string, string>, path = '/mcp') =>
    new Promise<Answer>((resolve, reject) => {
      send(url + path, { headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, challenge: response.headers['www-authenticate'], body }),
        );
      })
        .on('error', reject)
        .end();
    });
}

// MCP 2026-07-28, Transports: Security Warning
describe.each(PLATFORMS)('the MCP endpoint on %s', (platform) => {
  afterEach(stopApplications);

  it.each<[string, string, Record<string, string>]>([
    ['the host of the resource', PRODUCTION, { host: 'mcp.example' }],
    ['the host of the resource with a port', PRODUCTION, { host: 'MCP.example:443' }],
    ['the origin of the resource', PRODUCTION, { host: 'mcp.example', origin: PRODUCTION }],
    ['a loopback host in development', DEVELOPMENT, { host: '127.0.0.1:8080' }],
    ['a loopback origin in development', DEVELOPMENT, { host: 'localhost:3000', origin: 'http://127.0.0.1:6274' }],
  ])('asks for a token if the request has %s', async (_name, issuer, headers) => {
    const ask = await start(platform, issuer);
    expect(await ask(headers)).toMatchObject({ status: 401, challenge: expect.stringContaining('Bearer') });
  });

  it.each<[string, string, Record<string, string>]>([
    ['another host, as with DNS rebinding', DEVELOPMENT, { host: 'attacker.example:3000' }],
    ['another host and its origin', DEVELOPMENT, { host: 'attacker.example', origin: 'http://attacker.example' }],
    ['another origin', DEVELOPMENT, { host: 'localhost:3000', origin: 'https://attacker.example' }],
    ['a hidden origin', DEVELOPMENT, { host: 'localhost:3000', origin: 'null' }],
    ['a name that begins with the host of the resource', PRODUCTION, { host: 'mcp.example.attacker.example' }],
    ['a loopback host in production', PRODUCTION, { host: '127.0.0.1:3000' }],
    ['a loopback origin in production', PRODUCTION, { host: 'mcp.example', origin: 'http://localhost:6274' }],
    ['the origin of the resource without https', PRODUCTION, { host: 'mcp.example', origin: 'http://mcp.example' }],
    ['an invalid host', PRODUCTION, { host: 'mcp.example@attacker.example' }],
  ])('responds with 403 and without a challenge if the request has %s', async (_name, issuer, headers) => {
    const ask = await start(platform, issuer);
    for (const path of ['/mcp', platform === 'express' ? '/MCP/' : '/%6dcp', '/mcp/tools']) {
      const { status, challenge, body } = await ask(headers, path);
      expect([path, status, challenge]).toEqual([path, 403, undefined]);
      expect(body).toContain('"error":"access_denied"');
    }
  });

  it('lets requests without a token pass to a route with `@OptionalAuth()` if host and origin are allowed', async () => {
    const ask = await start(platform, PRODUCTION);
    expect(await ask({ host: 'mcp.example' }, '/mcp/tools')).toMatchObject({ status: 200 });
  });

  it('does not check requests to routes outside of the MCP endpoint', async () => {
    const ask = await start(platform, PRODUCTION);
    const answer = await ask({ host: '10.0.0.1', origin: 'https://app.example' }, '/other');
    expect(answer).toMatchObject({ status: 401, challenge: expect.stringContaining('Bearer') });
  });

  it('accepts further hosts and origins that the options list', async () => {
    const origins = ['https://app.example'];
    const ask = await start(platform, PRODUCTION, { hosts: ['internal', '10.0.0.1'], origins });
    expect((await ask({ host: 'internal:3000', origin: 'https://app.example' })).status).toBe(401);
    expect((await ask({ host: '10.0.0.1', origin: PRODUCTION })).status).toBe(401);
    expect((await ask({ host: '10.0.0.2', origin: PRODUCTION })).status).toBe(403);
  });

  it('accepts the origins that the option `cors` lists for resources', async () => {
    const ask = await start(platform, PRODUCTION, { cors: { origins: ['https://app.example'], resources: true } });
    const from = async (origin: string) => (await ask({ host: 'mcp.example', origin })).status;
    expect([await from('https://app.example'), await from('https://attacker.example')]).toEqual([401, 403]);
  });

  it("accepts all hosts and origins with `'*'`", async () => {
    const ask = await start(platform, PRODUCTION, { hosts: '*', origins: '*' });
    expect((await ask({ host: 'any.example', origin: 'null' })).status).toBe(401);
  });

  it('reads the host that a trusted proxy reports', async () => {
    const headers = { host: '10.0.0.1:3000', 'x-forwarded-host': 'mcp.example' };
    const trusting = await start(platform, PRODUCTION, {}, { trustProxy: true });
    expect((await trusting(headers)).status).toBe(401);
    const distrusting = await start(platform, PRODUCTION);
    expect((await distrusting(headers)).status).toBe(403);
  });

  it('emits an event that names the header, its value and the accepted values', async () => {
    const refusals: object[] = [];
    const events = new EventEmitter().on('access.refused', (event: object) => refusals.push(event));
    const ask = await start(platform, PRODUCTION, { events });
    await ask({ host: 'attacker.example' });
    const reason = '`Host` is not allowed at the MCP endpoint';
    expect(refusals).toEqual([
      expect.objectContaining({ reason, expected: ['mcp.example'], given: 'attacker.example' }),
    ]);
  });

  it.each<[string, McpOptions]>([
    ['`hosts` of `mcp()` must be', { hosts: ['https://mcp.example'] }],
    ['`hosts` of `mcp()` must be', { hosts: ['mcp.example:3000'] }],
    ['`origins` of `mcp()` must be', { origins: ['https://app.example/'] }],
    ['`origins` of `mcp()` must be', { origins: 'https://app.example' as '*' }],
  ])('prevents the start: %s', async (message, options) => {
    const module = OAuth2Module.forRoot({
      model: mcpStore(),
      issuer: PRODUCTION,
      secret: SECRET,
      features: [mcp(options)],
      interaction: null,
    });
    await expect(startApplication(platform, { imports: [module] })).rejects.toThrow(message);
  });
});
