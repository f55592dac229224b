import { EventEmitter } from 'node:events';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication, Injectable, Module, Post, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import {
  type Client,
  OAuth2Maintenance,
  OAuth2Module,
  type OAuth2ModuleOptions,
  OAuthGuard,
  OnOAuth2Event,
  Public,
  Scopes,
} from 'nest-oauth2';
import type { Feature } from 'nest-oauth2/features';
import { keys } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import {
  formatReport,
  OAuth2Report,
  type OAuth2ReportOptions,
  openFindings,
  REPORT_RULES,
  reportOn,
} from 'nest-oauth2/report';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';
import { reportAbout, SECRET, users } from './reported-server.js';

const [platform] = ANY_PLATFORM;

@Controller('notes')
class Notes {
  @Get()
  @Scopes('notes:read')
  list() {
    return [];
  }

  @Post()
  add() {}

  @Get('help')
  @Public()
  help() {}
}

@Controller('notes')
@UseGuards(OAuthGuard)
class GuardedNotes extends Notes {
  @Get()
  @Scopes('notes:read')
  override list() {
    return [];
  }
}

@Controller('notes')
class InheritedNotes extends Notes {}

@Injectable()
class OwnGuard {
  canActivate() {
    return false;
  }
}

@Controller('notes')
@UseGuards(OwnGuard)
class OwnGuardNotes extends Notes {}

@Controller('mcp')
class OpenMcp {
  @Post()
  call() {}
}

@Controller('mcp')
@UseGuards(OAuthGuard)
class GuardedMcp {
  @Post()
  call() {}
}

@Injectable()
class Alerts {
  @OnOAuth2Event('token.reuse_detected')
  alert() {}
}

/** The class name is part of the facts. */
class TypeOrmStore extends MemoryStore {}

async function reportOf(
  more: Partial<OAuth2ModuleOptions>,
  module: { controllers?: never[]; providers?: never[] } | object = {},
  options?: OAuth2ReportOptions,
) {
  const { providers = [], ...others } = module as { providers?: never[] };
  const model = new TypeOrmStore({ users });
  const imports = [OAuth2Module.forRoot({ model, secret: SECRET, issuer: 'https://id.company.com', ...more })];
  const report = options ? OAuth2Report.with(options) : OAuth2Report;
  const { app } = await startApplication(platform!, { imports, providers: [report, ...providers], ...others });
  return app.get(OAuth2Report);
}

const found = async (report: OAuth2Report, rule: string) =>
  (await report.create()).findings.filter((one) => one.rule === rule).map(({ subject }) => subject);

describe('OAuth2Report', () => {
  afterAll(stopApplications);

  it('finds routes whose requirements have no guard, and guarded routes without a scope', async () => {
    const open = await reportOf({}, { controllers: [Notes] });
    expect(await found(open, 'route-not-guarded')).toEqual(['route:Notes.list']);
    expect(await found(open, 'route-any-scope')).toEqual([]);
    const guarded = await reportOf({}, { controllers: [GuardedNotes] });
    expect(await found(guarded, 'route-not-guarded')).toEqual([]);
    const all = await reportOf({}, { controllers: [Notes], providers: [{ provide: APP_GUARD, useClass: OAuthGuard }] });
    expect(await found(all, 'route-not-guarded')).toEqual([]);
    expect(await found(all, 'route-any-scope')).toEqual(['route:Notes.add']);
    const inherited = await reportOf({}, { controllers: [InheritedNotes] });
    expect(await found(inherited, 'route-not-guarded')).toEqual(['route:InheritedNotes.list']);
  });

  it('only mentions routes with another guard, which may verify tokens', async () => {
    const report = await reportOf({}, { controllers: [OwnGuardNotes] });
    const { findings } = await report.create();
    expect(findings.filter(({ rule }) => rule === 'route-not-guarded')).toEqual([
      expect.objectContaining({
        severity: 'info',
        is: 'The route has @Scopes() without `OAuthGuard`, but with the guards `OwnGuard`.',
      }),
    ]);
    const prepare = (app: INestApplication) => app.useGlobalGuards(app.get(OAuthGuard));
    const model = new TypeOrmStore({ users });
    const imports = [OAuth2Module.forRoot({ model, secret: SECRET, issuer: 'https://id.company.com' })];
    const module = { imports, controllers: [Notes], providers: [OAuth2Report, OAuthGuard] };
    const { app } = await startApplication(platform!, module, { prepare });
    expect(await found(app.get(OAuth2Report), 'route-not-guarded')).toEqual([]);
  });

  it('finds an MCP endpoint without a guard', async () => {
    const features = [mcp({ scopes: ['a'] })];
    const open = await reportOf({ features }, { controllers: [OpenMcp] });
    expect(await found(open, 'mcp-endpoint-not-guarded')).toEqual(['route:OpenMcp.call']);
    const guarded = await reportOf({ features }, { controllers: [GuardedMcp] });
    expect(await found(guarded, 'mcp-endpoint-not-guarded')).toEqual([]);
  });

  it('finds missing maintenance and missing listeners', async () => {
    const bare = await reportOf({});
    expect(await found(bare, 'store-not-pruned')).toEqual(['providers']);
    expect(await found(bare, 'operation-no-alerts')).toEqual(['events']);
    const emitting = await reportOf({ events: new EventEmitter() });
    expect(await found(emitting, 'operation-no-alerts')).toEqual([]);
    const whole = await reportOf({}, { providers: [OAuth2Maintenance, Alerts] });
    expect(await found(whole, 'store-not-pruned')).toEqual([]);
    expect(await found(whole, 'operation-no-alerts')).toEqual([]);
  });

  it('examines all servers, and the tenants that the request names', async () => {
    const model = new TypeOrmStore({
      users,
      clients: ['acme', 'beta'].map((tenant) => ({
        id: tenant,
        grants: ['password'],
        issuer: `https://id.company.com/${tenant}`,
      })),
    });
    const tenants = {
      findTenant: () => undefined,
      createTenantOptions: (tenant: string) =>
        ['acme', 'beta'].includes(tenant) ? { issuer: `https://id.company.com/${tenant}` } : undefined,
    };
    const shop = { name: 'shop', model, secret: SECRET, tenants, paths: { prefix: ':tenant/shop' } };
    @Module({ imports: [OAuth2Module.forRoot(shop)] })
    class Shop {}
    const report = await reportOf({});
    expect((await report.create()).examined).toEqual(['https://id.company.com']);
    expect(await found(report, 'tenant-issuer-shared-host')).toEqual([]);
    const { app } = await startApplication(platform!, { imports: [Shop], providers: [OAuth2Report] });
    const both = app.get(OAuth2Report);
    expect(await found(both, 'tenants-not-examined')).toEqual(['tenants']);
    const { findings, examined } = await both.create({ tenants: ['acme', 'beta'] });
    expect(examined).toEqual(['https://id.company.com/acme', 'https://id.company.com/beta']);
    expect(findings.filter(({ rule }) => rule === 'tenants-not-examined')).toEqual([]);
    // Each tenant has its own clients.
    const grants = findings.filter(({ rule }) => rule === 'client-password-grant');
    expect(grants.map(({ tenant, subject, server }) => [server, tenant, subject])).toEqual([
      ['shop', 'acme', 'client:acme'],
      ['shop', 'beta', 'client:beta'],
    ]);
    expect(findings.filter(({ rule }) => rule === 'tenant-issuer-shared-host')).toHaveLength(2);
    await expect(both.create({ tenants: ['nobody'] })).rejects.toThrow('no tenant is registered');
  });

  it('judges by the rules that features contribute', async () => {
    const rule = {
      id: 'own-rule',
      severity: 'high' as const,
      source: 'House rule 1',
      should: 'Clients have a name.',
      change: 'Set it.',
      risk: 'Users do not know the client.',
      judge: () => [{ subject: 'client:web', is: 'The client has no name.' }],
    };
    const feature: Feature = { id: 'own', install: (builder) => builder.contribute(REPORT_RULES, rule) };
    expect(await found(await reportOf({ features: [feature] }), 'own-rule')).toEqual(['client:web']);
  });
});

describe('accepted findings', () => {
  const client = { grants: ['password'] };
  const accepted = (until: string | Date, subject?: string) => [
    { rule: 'client-password-grant', reason: 'Until the old app is gone.', until, ...(subject && { subject }) },
  ];
  const reported = async (entries: ReturnType<typeof accepted>) => {
    const report = await reportAbout({ client, accepted: entries });
    return { report, finding: report.findings.find(({ rule }) => rule === 'client-password-grant')! };
  };

  it('do not count until their last day', async () => {
    const { report, finding } = await reported(accepted('2999-01-31'));
    expect(finding.accepted).toEqual({ reason: 'Until the old app is gone.', until: '2999-01-31' });
    expect(openFindings(report, 'high')).toEqual([]);
    expect(report.unusedAcceptances).toEqual([]);
  });

  it('count again after their last day, with a sentence about the expired reason', async () => {
    const { report, finding } = await reported(accepted('2020-01-31'));
    expect(finding.accepted).toBeUndefined();
    expect(finding.expired).toBe('The acceptance ended on 2020-01-31. Its reason was: Until the old app is gone.');
    expect(openFindings(report, 'high')).toEqual([finding]);
    for (const format of ['text', 'json', 'sarif', 'html'] as const)
      expect(formatReport(report, format)).toContain('The acceptance ended on 2020-01-31.');
  });

  it('accept only their subject, and are listed if they accept nothing', async () => {
    const { report, finding } = await reported(accepted('2999-01-31', 'client:other'));
    expect(finding.accepted).toBeUndefined();
    expect(report.unusedAcceptances).toEqual(['client-password-grant client:other']);
    expect((await reported(accepted(new Date('2999-01-31'), 'client:web'))).finding.accepted).toBeDefined();
  });

  it.each([
    [{ rule: 'pkce-off', reason: ' ', until: '2999-01-01' }, 'requires a `reason`'],
    [{ rule: 'pkce-off', reason: 'Why', until: 'soon' }, 'requires `until`'],
    [{ rule: 'pkce-off', reason: 'Why', until: '2026-02-31x' }, 'requires `until`'],
    [{ rule: '', reason: 'Why', until: '2999-01-01' }, 'requires the id of a `rule`'],
  ])('reject %j', (entry, message) => {
    expect(() => OAuth2Report.with({ accepted: [entry] })).toThrow(message);
  });
});

describe('the formats', () => {
  const hostile = '<script>alert(1)</script>\u001b[31m\u202e"\'&';
  const leaks = ['hunter2', 's3cr3t-query', SECRET, 'client-secret-value'];
  const report = () =>
    reportAbout({
      client: {
        id: hostile,
        grants: ['password'],
        secret: 'client-secret-value',
        redirectUris: [`http://bob:hunter2@app.company.com/cb?token=s3cr3t-query&x`, hostile],
        jwks: { keys: [{ kty: 'oct', k: 'hunter2' }] },
      },
      options: {
        model: Object.assign(new MemoryStore({ users }), {
          ping: () => Promise.reject(new Error('postgres://user:hunter2@db')),
          getSigningKeys: () => Promise.reject(new Error('hunter2')),
        }),
        features: [keys({ secret: SECRET })],
      },
    });

  it('print no secret', async () => {
    const made = await report();
    for (const format of ['text', 'json', 'sarif', 'html'] as const) {
      const text = formatReport(made, format);
      expect(leaks.filter((one) => text.includes(one))).toEqual([]);
      expect(text).toContain('client-password-grant');
    }
  });

  it('escape texts of clients in HTML, and allow no script there', async () => {
    const html = formatReport(await report(), 'html');
    expect(html).not.toMatch(/<script|onerror|\u001b|\u202e/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('The client has the grant <code>password</code>.');
    expect(html).toMatch(/Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/=]{44}'/);
    expect(html).toContain('color-scheme: light dark');
    expect(html).not.toMatch(/(?:src|href)=/);
  });

  it('replace characters that a terminal interprets', async () => {
    expect(formatReport(await report(), 'text')).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    const forged = await reportAbout({ client: { id: 'web\nHIGH      forged', grants: ['password'] } });
    expect(formatReport(forged, 'text')).not.toMatch(/^HIGH {6}forged/m);
  });

  it('say in the text what to change, also for facts', async () => {
    const text = formatReport(await reportAbout({ client: { id: 'web', grants: ['password'] } }), 'text');
    expect(text).toMatch(/^ {2}Change {2}Use the authorization code grant with PKCE/m);
    expect(text.split('TO KNOW')[1]).toMatch(
      /^ {2}token-grant-unlimited\n {10}option:grantLifetime: Grants have no maximum lifetime\.\n {2}Change {2}Set the maximum/m,
    );
  });

  it('name the client in the command to run, unless a shell could read more than an ID', async () => {
    const commandAbout = async (id: string) =>
      (await reportAbout({ client: { id, grants: ['password'] } })).findings.find(
        ({ rule }) => rule === 'client-password-grant',
      )?.code;
    expect(await commandAbout('my-spa')).toMatch(/^npx nest-oauth2 clients change my-spa --grant /);
    expect(await commandAbout('my;spa')).toMatch(/^npx nest-oauth2 clients change web --grant /);
  });

  it('write a SARIF 2.1.0 log with suppressed accepted findings', async () => {
    const accepted = [{ rule: 'client-password-grant', reason: 'Old app.', until: '2999-01-31' }];
    const made = await reportAbout({ client: { grants: ['password', 'implicit'] }, accepted });
    const log = JSON.parse(formatReport(made, 'sarif')) as Sarif;
    expect(log.version).toBe('2.1.0');
    expect(log.$schema).toBe('https://json.schemastore.org/sarif-2.1.0.json');
    const [run] = log.runs;
    const { name, rules } = run!.tool.driver;
    expect(name).toBe('nest-oauth2 doctor');
    expect(run!.results).toHaveLength(made.findings.length);
    for (const result of run!.results) {
      expect(rules[result.ruleIndex]!.id).toBe(result.ruleId);
      expect(['error', 'warning', 'note', 'none']).toContain(result.level);
      // SARIF 2.1.0 §3.27.9: any kind other than `fail` has the level `none`.
      expect(result.kind).toBe(result.level === 'none' ? 'informational' : 'fail');
      expect(result.message.text).toMatch(/\.$/);
      const [location] = result.locations;
      expect(location!.logicalLocations[0]!.fullyQualifiedName).toBeTruthy();
      // Code hosts ignore results without a file.
      expect(location!.physicalLocation).toEqual({
        artifactLocation: { uri: 'package.json' },
        region: { startLine: 1 },
      });
    }
    for (const rule of rules) {
      expect(rule.shortDescription.text).toMatch(/\.$/);
      expect(rule.help.text).toContain('Risk: ');
      expect(Number(rule.properties['security-severity'])).toBeLessThan(10);
    }
    const suppressed = run!.results.filter(({ suppressions }) => suppressions);
    expect(suppressed).toEqual([
      expect.objectContaining({
        ruleId: 'client-password-grant',
        level: 'error',
        suppressions: [{ kind: 'inSource', justification: 'Old app. Until 2999-01-31.' }],
      }),
    ]);
    expect(run!.results.find(({ ruleId }) => ruleId === 'client-implicit-grant')).not.toHaveProperty('suppressions');
  });

  it('reject an unknown format', async () => {
    const made = await reportAbout({});
    expect(() => formatReport(made, 'constructor' as never)).toThrow('unknown format');
  });
});

interface Sarif {
  version: string;
  $schema: string;
  runs: {
    tool: {
      driver: {
        name: string;
        rules: {
          id: string;
          shortDescription: { text: string };
          help: { text: string };
          properties: Record<string, string>;
        }[];
      };
    };
    results: {
      ruleId: string;
      ruleIndex: number;
      kind: string;
      level: string;
      message: { text: string };
      locations: { physicalLocation: object; logicalLocations: { fullyQualifiedName: string }[] }[];
      suppressions?: object[];
    }[];
  }[];
}

describe('a report', () => {
  it('is still made if a rule or the store fails', async () => {
    const judge = () => {
      throw new TypeError('hunter2');
    };
    const texts = { severity: 'high', source: 'House rule 1', should: 'A.', change: 'B.', risk: 'C.' } as const;
    const own: Feature = {
      id: 'own',
      install: (builder) => builder.contribute(REPORT_RULES, { id: 'own-rule', ...texts, judge }),
    };
    const fail = () => Promise.reject(new Error('hunter2'));
    const model = Object.assign(new MemoryStore({ users }), { ping: fail, listClients: fail });
    const report = await reportAbout({ clients: undefined, options: { model, features: [own] } });
    const failed = report.findings.filter(({ rule }) => ['own-rule', 'store-unreachable'].includes(rule));
    expect(failed.map(({ is }) => is).toSorted()).toEqual([
      'The rule failed with a TypeError.',
      '`MemoryStore` cannot be reached.',
    ]);
    const unlisted = report.findings.find(({ rule }) => rule === 'clients-not-examined');
    expect(unlisted!.is).toBe('Clients were not examined: the model failed to list them.');
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  it('judges clients whose fields have wrong types', async () => {
    const odd = { grants: 'password', redirectUris: null, metadata: 'x', jwks: { keys: [null, 1] }, secrets: 1 };
    const report = await reportAbout({ client: { ...odd, allowedOrigins: [null], logoUri: 1, consent: {} } });
    expect(report.findings.filter(({ is }) => is.startsWith('The rule failed'))).toEqual([]);
  });

  it('is refused without a server', async () => {
    await expect(reportOn([])).rejects.toThrow('no server was found');
  });
});

describe('many clients', () => {
  const all = (count: number): Client[] =>
    Array.from({ length: count }, (_, index) => ({ id: `c${String(index).padStart(6, '0')}`, grants: ['password'] }));

  it('are read in pages, and at most 100 findings of a rule are kept', async () => {
    const limits: unknown[] = [];
    const pages = all(2500);
    const model = Object.assign(new MemoryStore({ users }), {
      async listClients({ after = '', limit = 100 }: { after?: string; limit?: number }) {
        limits.push(limit);
        const rest = pages.filter(({ id }) => id > after);
        const clients = rest.slice(0, limit).map((one) => Object.assign(one, { secrets: [{}] }));
        return { clients, ...(rest.length > limit && { next: clients.at(-1)!.id }) };
      },
    });
    const report = await reportAbout({ clients: undefined, options: { model } });
    expect(limits).toEqual([1000, 1000, 1000]);
    expect(report.findings.filter(({ rule }) => rule === 'client-password-grant')).toHaveLength(100);
    expect(report.omitted['client-password-grant']).toBe(2400);
    expect(formatReport(report, 'text')).toContain('2400 further findings');
  });

  it('keep open findings before accepted ones', async () => {
    const accepted = all(200).map(({ id }) => ({
      rule: 'client-password-grant',
      subject: `client:${id}`,
      reason: 'Old.',
      until: '2999-01-31',
    }));
    const report = await reportAbout({ clients: () => all(201), accepted });
    expect(openFindings(report, 'high').map(({ subject }) => subject)).toEqual(['client:c000200']);
  });

  it('are bounded, also if a model never ends its list', async () => {
    let page = 0;
    const model = Object.assign(new MemoryStore({ users }), {
      listClients: async () => ({ clients: all(1000), next: String((page += 1)) }),
    });
    const report = await reportAbout({ clients: undefined, options: { model } });
    expect(page).toBeLessThanOrEqual(11);
    expect(report.findings.find(({ rule }) => rule === 'clients-not-examined')!.is).toContain('first 10000 clients');
  });
});
