import { afterEach, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { ATTACKS, attackLab } from 'nest-oauth2/testing';
import { startApplication, stopApplications } from '../support/servers/test-application.js';
import { EMULATED } from './emulated-servers.js';
import { FAULTS } from './faults.js';
import { productApplication } from './product-application.js';
import { PRODUCT_FAULTS } from './product-faults.js';
import { tenants, VARIANTS } from './variants.js';
import { SIGN_IN, weakModule } from './weak-application.js';
import { acceptRefused, hasToken, wrapHandlers } from './wrapped-handler.js';

const OPTIONS = { signIn: SIGN_IN, guarded: '/notes', pages: ['/settings'], callers: 4 };

afterEach(stopApplications);

// The wrappers use the responses of Express.
describe('attackLab() finds', () => {
  it.each(FAULTS.map((row) => [row[0], row] as const))('%s', async (_, [, fault, found]) => {
    const { app } = await startApplication('express', weakModule(fault), { prepare: fault.prepare });
    const report = await attackLab(app, { ...OPTIONS, only: found });
    expect(
      report
        .of('succeeded')
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(found.toSorted());
    expect(() => report.assertResisted()).toThrow('Remedy: ');
  });
});

describe('attackLab() finds, in a wrapper that emulates it,', () => {
  it.each(EMULATED.map((row) => [row[0], row] as const))('%s', async (_, [, fault, found, options]) => {
    const { app } = await startApplication('express', weakModule(fault), { prepare: fault.prepare });
    const report = await attackLab(app, { ...OPTIONS, ...options, only: found });
    const missed = report.results.filter(({ verdict }) => verdict !== 'succeeded');
    expect(missed).toEqual([]);
  });
});

describe('attackLab() finds, in an application with accounts,', () => {
  it.each(PRODUCT_FAULTS)('%s', async (_, fault, found) => {
    const { module, options, prepare } = productApplication(fault);
    const { app } = await startApplication('express', module(), { prepare });
    const report = await attackLab(app, { ...options, only: found });
    expect(report.results.filter(({ verdict }) => verdict !== 'succeeded')).toEqual([]);
  });
});

const TENANTS = ['tenant-code', 'tenant-refresh-token', 'tenant-client', 'tenant-access-token'];

const FURTHER = 'a server with token exchange, certificates and CIBA';
/** Emulates a token endpoint that exchanges every token for every scope. */
const exchangeAnything = (app: INestApplication) =>
  wrapHandlers(app, ({ response, form, body }) => {
    if (!form.has('subject_token') || response.statusCode < 400) return body;
    response.statusCode = 200;
    return JSON.stringify({ access_token: 'x', token_type: 'Bearer', scope: form.get('scope') });
  });

/** Attacks that need another application, each with a wrapper that emulates a broken server. */
const BROKEN: readonly (readonly [id: string, variant: string, wrap: (app: INestApplication) => void])[] = [
  ['audience-missing', 'an MCP server', acceptRefused('/mcp', hasToken)],
  ['jwt-changed', 'a server with JWT access tokens', acceptRefused('/notes', hasToken)],
  ...['wider-scope', 'other-grant', 'forged-token', 'unknown-resource', 'expired-token'].map(
    (name) => [`exchange-${name}`, FURTHER, exchangeAnything] as const,
  ),
  ...[
    'mtls-no-certificate',
    'mtls-secret-instead',
    'mtls-unbound-token',
    'ciba-without-approval',
    'ciba-other-client',
  ].map((id) => [id, FURTHER, acceptRefused('/oauth/token')] as const),
  ['ciba-unauthenticated', FURTHER, acceptRefused('/oauth/backchannel_authentication')],
  [
    'tenant-session',
    'a server with tenants',
    (app) =>
      wrapHandlers(app, ({ request, response }) => {
        if (!request.headers.host?.startsWith('two.')) return undefined;
        response.statusCode = 200;
        return 'Signed in';
      }),
  ],
];

describe('attackLab() finds in another application', () => {
  it('a tenant filter that is forgotten', async () => {
    const { app } = await startApplication('express', tenants(false));
    const report = await attackLab(app, { ...VARIANTS['a server with tenants']!.options, only: TENANTS });
    expect(report.of('succeeded').map(({ id }) => id)).toEqual(TENANTS);
  });

  it.each(BROKEN)('what %s attacks, in a wrapper that emulates it around %s', async (id, name, prepare) => {
    const { module, options } = VARIANTS[name]!;
    const { app } = await startApplication('express', module(), { prepare });
    const report = await attackLab(app, { ...options, only: [id] });
    expect(report.results).toMatchObject([{ id, verdict: 'succeeded' }]);
  });

  it('each attack in one of these tests', () => {
    const tripped = [...FAULTS, ...EMULATED, ...PRODUCT_FAULTS].flatMap(([, , ids]) => ids);
    const all = new Set([...tripped, ...TENANTS, ...BROKEN.map(([id]) => id)]);
    expect(ATTACKS.map(({ id }) => id).filter((id) => !all.has(id))).toEqual([]);
  });
});
