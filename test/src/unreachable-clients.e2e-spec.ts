import type { LoggerService } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { clientIdDocuments, registration } from 'nest-oauth2/features';
import { privateKeyJwt } from 'nest-oauth2/jose';
import { SignJWT } from 'jose';

import { demoModule, demoStore } from '../support/servers/demo.js';
import { freePort } from '../support/environment/free-port.js';
import { readResponse, get, post } from '../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../support/servers/test-application.js';

const HOUR = 3_600_000;
let hours = 1;

describe.each(ANY_PLATFORM)('the log of a server on %s', (platform) => {
  const [error, warn, debug] = [jest.fn(), jest.fn(), jest.fn()];
  const logger: LoggerService = { error, warn, debug, log() {} };

  beforeEach(() => {
    const now = performance.now.bind(performance);
    const shift = hours++ * HOUR;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + shift);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const level of [error, warn, debug]) level.mockReset();
    await stopApplications();
  });

  /** Starts an application that resolves this host name to a server that refuses connections. */
  async function start(hosts: string) {
    const port = await freePort();
    const fetch = { lookup: async () => ['127.0.0.1'], allow: ['127.0.0.1'] };
    const model = demoStore();
    const features = [
      clientIdDocuments({ scopes: ['notes:read'], fetch }),
      privateKeyJwt({ fetch }),
      registration({ open: true, rate: false }),
    ];
    const { url } = await startApplication(platform, demoModule({ model, features, issuer: 'https://id.example' }), {
      logger,
    });
    return { url, at: (name: string) => `https://${name}.${hosts}:${port}/resource`, model };
  }

  /** Returns the lines about resources of clients by their level. */
  const lines = () =>
    [error, warn, debug].map(
      (level) =>
        level.mock.calls.filter(
          ([message]) => /\.example:\d+/.test(String(message)) && !/^\w+\.refused/.test(String(message)),
        ).length,
    );

  it('has one warning per minute for client documents that cannot be fetched', async () => {
    const { url, at } = await start('document.example');
    for (const name of ['a', 'b', 'c', 'd']) {
      const query = new URLSearchParams({ client_id: at(name), response_type: 'code', redirect_uri: at(name) });
      expect((await readResponse(get(`${url}/oauth/authorize?${query.toString()}`))).status).toBe(503);
    }
    expect(lines()).toEqual([0, 1, 3]);
  });

  it('has one warning per minute for keys of clients that cannot be fetched', async () => {
    const { url, at, model } = await start('keys.example');
    for (const id of ['a', 'b', 'c', 'd']) {
      await model.saveClient({
        id,
        grants: ['client_credentials'],
        tokenEndpointAuthMethod: 'private_key_jwt',
        jwksUri: at(id),
      });
      const client_assertion = await new SignJWT({ jti: id })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(id)
        .setSubject(id)
        .setAudience('https://id.example')
        .setExpirationTime('1m')
        .sign(Buffer.alloc(32));
      const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const form = {
        grant_type: 'client_credentials',
        client_assertion_type: type,
        client_assertion: client_assertion.replace(/^[^.]+/, HEADER),
      };
      expect((await readResponse(post(`${url}/oauth/token`, form))).status).toBe(503);
    }
    expect(lines()).toEqual([0, 1, 3]);
  });
});

/** An unsigned assertion suffices: the keys are fetched before the signature is verified. */
const HEADER = Buffer.from(JSON.stringify({ alg: 'ES256' })).toString('base64url');
