import { request } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

import { describe, expect, it } from '@jest/globals';
import { oidc } from 'nest-oauth2/upstreams';

import { type Certificate, RSA, selfSigned } from '../../conformance/host/certificate.js';
import { startHost } from '../../conformance/host/host.js';
import { startRelyingParty } from '../../conformance/host/relying-party.js';
import { Browser } from '../../conformance/host/browser.js';
import { ALL_PLANS, PLANS } from '../../conformance/plans/index.js';
import { type ClientKeys, GENERATORS, type KeyGenerators } from '../../conformance/plans/keys.js';
import { EXPECTATIONS } from '../../conformance/expectations.js';
import { freePort } from '../support/environment/free-port.js';
import { PLATFORMS } from '../support/servers/test-application.js';

async function read(url: string, method = 'GET'): Promise<{ status: number | undefined; body: string }> {
  const requested = request(url, { method, rejectUnauthorized: false }).end();
  const [answer] = (await once(requested, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}

const generatedKeys = new Map<string, Promise<ClientKeys>>();
const generatedCertificates = new Map<string, Promise<Certificate>>();

/** Returns the value for `key`, and generates it on the first call. */
function reuse<T>(values: Map<string, Promise<T>>, key: string, generate: () => Promise<T>): Promise<T> {
  if (!values.has(key)) values.set(key, generate());
  return values.get(key)!;
}

/**
 * Returns generators for one plan. All plans share keys and certificates, because generating RSA keys takes most of the
 * start.
 */
function sharedGenerators(): KeyGenerators {
  let count = 0;
  return {
    async newKeys(alg) {
      count += 1;
      return structuredClone(await reuse(generatedKeys, `${alg} ${count}`, () => GENERATORS.newKeys(alg)));
    },
    selfSigned: (name, options) => reuse(generatedCertificates, name, () => GENERATORS.selfSigned(name, options)),
  };
}

describe('the server for the conformance suite', () => {
  it.each(PLANS.map((plan) => [plan.name, plan] as const))('starts for the plan %s', async (_, plan) => {
    const issuer = `https://localhost:${await freePort()}`;
    const { host, configuration } = await plan.prepare({
      issuer,
      suite: 'https://suite.example',
      generators: sharedGenerators(),
    });
    const platform = PLATFORMS[PLANS.indexOf(plan) % PLATFORMS.length]!;
    const certificate = await reuse(generatedCertificates, 'localhost', () =>
      selfSigned('localhost', { hosts: ['localhost'], key: RSA }),
    );
    const server = await startHost(host!, { issuer, platform, certificate });
    try {
      const { discoveryUrl } = (configuration as { server: { discoveryUrl: string } }).server;
      expect(JSON.parse((await read(discoveryUrl)).body)).toMatchObject({ issuer });
      expect(await read(`${issuer}/resource`)).toMatchObject({ status: 401 });
      const approved = await read(`${issuer}/approve?action=allow`, 'POST');
      expect(approved).toEqual({ status: 200, body: '{"counts":false}' });
    } finally {
      await server.close();
    }
  });

  it.each(PLATFORMS)(
    'shows the button of the suite in the application for plans for clients on %s',
    async (platform) => {
      const issuer = `https://localhost:${await freePort()}`;
      const certificate = await reuse(generatedCertificates, 'localhost', () =>
        selfSigned('localhost', { hosts: ['localhost'], key: RSA }),
      );
      const suite = oidc({ issuer: 'https://suite.example', label: 'Suite', clientId: 'rp', clientSecret: 'secret' });
      const application = await startRelyingParty({ providers: { suite } }, { issuer, platform, certificate });
      try {
        const page = await new Browser().get(`${issuer}/oauth/connections`);
        expect([page.url.pathname, page.html]).toEqual(['/oauth/login', expect.stringContaining('Suite')]);
      } finally {
        await application.close();
      }
    },
  );

  it('has plans with unique names, and no expectations for unknown plans', () => {
    const names = ALL_PLANS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(EXPECTATIONS.flatMap(({ plans = [] }) => plans).filter((name) => !names.includes(name))).toEqual([]);
  });
});
