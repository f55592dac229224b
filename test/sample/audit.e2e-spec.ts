import { setTimeout } from 'node:timers/promises';

import type { INestApplication, Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { EntityManager } from 'typeorm';

import { readResponse, basic, bearer, get, post } from '../support/clients/http.js';
import { startApplication, stopApplications } from '../support/servers/test-application.js';

/** The variable path prevents type-checking: an installed sample has its own types of TypeORM. */
const load = (file: string) => import(`../../sample/13-audit/src/${file}.js`) as Promise<Record<string, Type>>;

const DEMO = basic('demo', 'demo-secret');

interface Row {
  at: string;
  event: string;
  clientId: string | null;
  userId: string | null;
  grantId: string | null;
  detail: string;
}

describe('sample/13-audit', () => {
  let url = '';
  let app: INestApplication;
  const secrets: string[] = ['demo-secret', 'auditor-secret', 'wonderland', 'guessed'];

  beforeAll(async () => {
    process.env['DATABASE_FILE'] = ':memory:';
    const { AppModule } = await load('app.module');
    ({ app, url } = await startApplication('express', { imports: [AppModule!] }));
  });
  afterAll(async () => {
    delete process.env['DATABASE_FILE'];
    await stopApplications();
  });

  async function ask(form: Record<string, string>, authorization = DEMO) {
    const { body } = await readResponse(post(`${url}/oauth/token`, form, authorization));
    const tokens = body as { access_token: string; refresh_token: string };
    secrets.push(...[tokens.access_token, tokens.refresh_token].filter(Boolean));
    return tokens;
  }

  /** Requested once: each token adds two rows, and the list contains at most one hundred. */
  let reader: Promise<string> | undefined;
  async function readerToken(): Promise<string> {
    const auditor = { grant_type: 'client_credentials', scope: 'audit:read' };
    return (await ask(auditor, basic('auditor', 'auditor-secret'))).access_token;
  }

  async function audit(query = ''): Promise<Row[]> {
    const token = await (reader ??= readerToken());
    const { status, body } = await readResponse(get(`${url}/audit${query}`, bearer(token)));
    expect(status).toBe(200);
    return (body as Row[]).toReversed();
  }

  /** Reads the audit trail until the rows exist, because it is written asynchronously. */
  async function auditWith(event: string, count: number): Promise<Row[]> {
    let rows: Row[] = [];
    while (rows.filter((row) => row.event === event).length < count) {
      await setTimeout(20);
      rows = await audit();
    }
    return rows;
  }

  it('records the lifecycle of a grant in its table, without secrets', async () => {
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'notes' };
    const { refresh_token: stolen } = await ask(password);
    await ask(password, basic('demo', 'guessed'));
    await ask({ grant_type: 'refresh_token', refresh_token: stolen });
    await ask({ grant_type: 'refresh_token', refresh_token: stolen });
    const all = await auditWith('token.refused', 1);
    expect(all.filter(({ clientId }) => clientId === 'demo').map(({ event }) => event)).toEqual([
      'client.authenticated',
      'token.issued',
      'client.refused',
      'client.authenticated',
      'token.refreshed',
      'client.authenticated',
      'token.reuse_detected',
      'grant.ended',
      'token.refused',
    ]);
    const { grantId, at } = all.find(({ event }) => event === 'token.issued')!;
    expect(Date.now() - Date.parse(at)).toBeLessThan(60_000);
    const life = await audit(`?grantId=${grantId}`);
    expect(life.map(({ event, userId }) => [event, userId])).toEqual([
      ['token.issued', '1'],
      ['token.refreshed', '1'],
      ['token.reuse_detected', '1'],
      ['grant.ended', '1'],
    ]);
    expect(await audit('?userId=nobody')).toEqual([]);
    const written = JSON.stringify(await audit());
    for (const secret of secrets) expect(written).not.toContain(secret);
  });

  it('allows only the auditor to read the table', async () => {
    const { access_token: token } = await ask({
      grant_type: 'password',
      username: 'alice',
      password: 'wonderland',
      scope: 'notes',
    });
    expect([(await get(`${url}/audit`)).status, (await get(`${url}/audit`, bearer(token))).status]).toEqual([401, 403]);
  });

  it('buffers events while the table cannot be written, and keeps their order', async () => {
    const { AuditTrail } = await load('audit-trail');
    const { manager } = app.get<{ database: { manager: EntityManager } }>(AuditTrail!).database;
    const broken = jest.spyOn(manager, 'insert').mockRejectedValueOnce(new Error('the database is away'));
    await ask({ grant_type: 'refresh_token', refresh_token: 'first' });
    while (broken.mock.calls.length === 0) await setTimeout(5);
    broken.mockRestore();
    await ask({ grant_type: 'refresh_token', refresh_token: 'second' });
    const refused = (await auditWith('token.refused', 3)).filter(({ event }) => event === 'token.refused');
    expect(refused.map(({ at }) => at)).toEqual(refused.map(({ at }) => at).toSorted());
  });
});
