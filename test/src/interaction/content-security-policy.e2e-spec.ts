import fastifyHelmet from '@fastify/helmet';
import type { INestApplication } from '@nestjs/common';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import helmet from 'helmet';
import { openConsentPage } from '../../support/consent.js';
import { AUTHORIZATION_PARAMETERS, DemoInteraction, demoModule } from '../../support/demo.js';
import { PLATFORMS, startApplication, stopApplications } from '../../support/test-application.js';

const options = { contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'self'"] } } };

// Issue 10, 1.6
describe.each(PLATFORMS)('the Content-Security-Policy of a host on %s', (platform) => {
  afterEach(stopApplications);

  const withHelmet = (app: INestApplication) =>
    platform === 'express'
      ? app.use(helmet(options))
      : (app.getHttpAdapter() as FastifyAdapter).register(fastifyHelmet as never, options);

  it('holds on the consent page, beside that of the page', async () => {
    const { url } = await startApplication(platform, demoModule(), { prepare: withHelmet });
    const { status, headers } = await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice');
    expect([status, headers['content-security-policy']]).toEqual([200, "default-src 'self', frame-ancestors 'none'"]);
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it('gives way to the one that the interaction sends with its page', async () => {
    const interaction = Object.assign(new DemoInteraction(), {
      consent: () => ({ html: '<p>', headers: { 'Content-Security-Policy': "style-src 'unsafe-inline'" } }),
    });
    const { url } = await startApplication(platform, demoModule({ interaction }), { prepare: withHelmet });
    const { headers } = await openConsentPage(url, AUTHORIZATION_PARAMETERS, 'alice');
    expect(headers['content-security-policy']).toBe("style-src 'unsafe-inline'");
  });
});
