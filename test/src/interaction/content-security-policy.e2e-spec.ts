import fastifyHelmet from '@fastify/helmet';
import type { INestApplication } from '@nestjs/common';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import helmet from 'helmet';
import { openConsentPage } from '../../support/clients/consent.js';
import { AUTHORIZATION_PARAMETERS, DemoInteraction, demoModule } from '../../support/servers/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const options = { contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'self'"] } } };

describe.each(PLATFORMS)('the Content-Security-Policy of an application on %s', (platform) => {
  afterEach(stopApplications);

  const withHelmet = (app: INestApplication) =>
    platform === 'express'
      ? app.use(helmet(options))
      : (app.getHttpAdapter() as FastifyAdapter).register(fastifyHelmet as never, options);

  it('is combined with that of the consent page', async () => {
    const { url } = await startApplication(platform, demoModule(), { prepare: withHelmet });
    const { status, headers } = await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice');
    expect([status, headers['content-security-policy']]).toEqual([200, "default-src 'self', frame-ancestors 'none'"]);
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it('is replaced by the one that the interaction returns with its page', async () => {
    const interaction = Object.assign(new DemoInteraction(), {
      consent: () => ({ html: '<p>', headers: { 'Content-Security-Policy': "style-src 'unsafe-inline'" } }),
    });
    const { url } = await startApplication(platform, demoModule({ interaction }), { prepare: withHelmet });
    const { headers } = await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice');
    expect(headers['content-security-policy']).toBe("style-src 'unsafe-inline'");
  });
});
