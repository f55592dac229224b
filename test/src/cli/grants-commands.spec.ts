import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getOAuth2GrantsToken, OAuth2Grants, type SessionList } from 'nest-oauth2';

import { linesOf, UsageError } from '../../../src/cli/command.js';
import { targetOfContext } from '../../../src/cli/target-of-context.js';
import { readCommand } from '../../../src/cli/read-command.js';
import { later } from '../../support/models/model.js';
import { AppModule, ISSUER, store, tenantStore } from './grants-app.js';

const WEB = { id: 'web', grants: ['password'], scopes: ['read'] };

describe('nest-oauth2 grants, sessions and revoke', () => {
  let context: INestApplicationContext;

  beforeAll(async () => {
    context = await NestFactory.createApplicationContext(AppModule, { logger: false });
  });
  afterAll(() => context.close());
  beforeEach(async () => {
    await Promise.all([store.revokeGrantsOf({ userId: 'alice' }), tenantStore.revokeGrantsOf({ userId: 'alice' })]);
  });

  const run = async (...args: string[]) => {
    const { command, args: given } = readCommand(args);
    const result = await command!.run(given, targetOfContext(context));
    return { ...result, lines: linesOf(result, false), shown: linesOf(result, true) };
  };
  async function issue(where = store, issuer = ISSUER, userId = 'alice') {
    const [accessToken, grantId] = [randomUUID(), randomUUID()];
    const token = { accessToken, grantId, accessTokenExpiresAt: later(), scope: 'read', issuer };
    await where.saveToken(token, WEB, { id: userId });
    return { grantId, isAlive: async () => (await where.getAccessToken(accessToken)) !== undefined };
  }
  async function signIn(userId = 'alice') {
    const sessionId = randomUUID();
    const times = { authTime: new Date(), expiresAt: later() };
    await store.saveSession({ sessionId, user: { id: userId }, issuer: ISSUER, amr: ['pwd'], ...times });
    return async () => (await store.getSession(sessionId)) !== undefined;
  }

  it('list grants by user and by client, and revoke one grant or all of them', async () => {
    const [one, other] = [await issue(), await issue()];
    const { lines, value } = await run('grants', 'list', '--user', 'alice', '--client', 'web');
    expect(lines).toHaveLength(2);
    expect(lines.find((line) => line.startsWith(one.grantId))).toMatch(/^[\w-]{36}\talice\tweb\tread\t\d{4}-.*Z\t.*Z$/);
    expect(JSON.parse(JSON.stringify(value))).toMatchObject({ grants: [{ userId: 'alice' }, { clientId: 'web' }] });
    await expect(run('grants', 'end', '--id', one.grantId)).resolves.toMatchObject({ lines: ['ended  1'] });
    expect([await one.isAlive(), await other.isAlive()]).toEqual([false, true]);
    await expect(run('grants', 'end', '--id', one.grantId)).rejects.toThrow(`There is no grant "${one.grantId}"`);
    await expect(run('grants', 'end', '--user', 'alice', '--client', 'web')).resolves.toMatchObject({
      value: { ended: 1 },
    });
    await expect(run('grants', 'end', '--client', 'unknown')).resolves.toMatchObject({ value: { ended: 0 } });
  });

  it('list grants on a terminal with headers, aligned columns and local times', async () => {
    await issue();
    const { shown } = await run('grants', 'list', '--user', 'alice');
    expect(shown).toEqual([
      expect.stringMatching(/^GRANT {33}USER {3}CLIENT {2}SCOPE {2}LAST USED {9}EXPIRES$/),
      expect.stringMatching(
        /^[\w-]{36} {2}alice {2}web {5}read {3}\d{4}-\d\d-\d\d \d\d:\d\d {2}\d{4}-\d\d-\d\d \d\d:\d\d$/,
      ),
    ]);
    await run('grants', 'end', '--user', 'alice');
    await expect(run('grants', 'list', '--user', 'alice')).resolves.toMatchObject({ shown: ['No grants.'] });
  });

  it('list grants in pages, and print the option for the next page', async () => {
    for (let count = 0; count < 3; count += 1) await issue();
    const { lines, value } = await run('grants', 'list', '--user', 'alice', '--limit', '2');
    const { next } = value as { next: string };
    expect(lines.slice(2)).toEqual(['', `There are more: --after ${next}`]);
    const rest = await run('grants', 'list', '--user', 'alice', '--after', next);
    expect(rest.lines).toHaveLength(1);
  });

  it('list the sessions of a user, and end one session or all of them', async () => {
    const sessions = [await signIn(), await signIn()];
    const countActive = async () => (await Promise.all(sessions.map((isAlive) => isAlive()))).filter(Boolean).length;
    const { lines, value } = await run('sessions', 'list', '--user', 'alice');
    expect(lines).toEqual([expect.stringMatching(/^\w+\talice\tpwd\t.*Z\t.*Z$/), expect.any(String)]);
    const { id } = (value as SessionList).sessions[0]!;
    await run('sessions', 'end', '--user', 'alice', '--id', id);
    expect(await countActive()).toBe(1);
    await expect(run('sessions', 'end', '--user', 'alice', '--id', id)).rejects.toThrow(`There is no session "${id}"`);
    await run('sessions', 'end', '--user', 'alice');
    expect(await countActive()).toBe(0);
    await expect(run('sessions', 'list', '--user', 'alice')).resolves.toMatchObject({
      lines: [],
      shown: ['No sessions.'],
    });
  });

  it('revoke everything issued before now, or before a past date', async () => {
    const [{ isAlive }, isSignedIn] = [await issue(), await signIn()];
    const elsewhere = await issue(store, 'https://elsewhere.example');
    await run('revoke', '--before', '2026-01-01T00:00:00Z');
    expect([await isAlive(), await isSignedIn()]).toEqual([true, true]);
    const { lines } = await run('revoke', '--before', 'now');
    expect(lines).toEqual([expect.stringMatching(/^revoked everything issued before {2}\d{4}-.*Z$/)]);
    expect([await isAlive(), await isSignedIn(), await elsewhere.isAlive()]).toEqual([false, false, true]);
    await run('revoke', '--before', 'now', '--all');
    expect(await elsewhere.isAlive()).toBe(false);
  });

  it('affect only the tenant given by --tenant', async () => {
    const [acme, umbrella] = [
      await issue(tenantStore, 'https://acme.example'),
      await issue(tenantStore, 'https://umbrella.example'),
    ];
    const tenants = ['--server', 'tenants'];
    const ofAcme = [...tenants, '--tenant', 'acme'];
    await expect(run('grants', 'list', '--user', 'alice', ...ofAcme)).resolves.toMatchObject({
      value: { grants: [{ id: acme.grantId }] },
    });
    await expect(run('grants', 'end', '--user', 'alice', ...ofAcme)).resolves.toMatchObject({ value: { ended: 1 } });
    expect(await umbrella.isAlive()).toBe(true);
    await expect(run('grants', 'end', '--user', 'alice', ...tenants)).rejects.toThrow('`issuer` is required');
    await expect(run('grants', 'end', '--id', umbrella.grantId, ...ofAcme)).rejects.toThrow('There is no grant');
    const foreign = ['--issuer', 'https://umbrella.example'];
    await expect(run('grants', 'end', '--user', 'alice', ...ofAcme, ...foreign)).rejects.toThrow('another tenant');
    await expect(run('revoke', '--before', 'now', ...ofAcme, '--all')).rejects.toThrow('`all` cannot be combined');
    await expect(run('revoke', '--before', 'now', ...tenants)).rejects.toThrow('`issuer` is required');
    await run('revoke', '--before', 'now', ...ofAcme);
    expect(await umbrella.isAlive()).toBe(true);
    await run('revoke', '--before', 'now', ...tenants, '--all');
    expect(await umbrella.isAlive()).toBe(false);
  });

  it('report missing options, and operations that the model does not support', async () => {
    await expect(run('grants', 'list')).rejects.toThrow(new UsageError('Add --user <id> or --client <id>.'));
    await expect(run('sessions', 'end', '--id', 'x')).rejects.toThrow(UsageError);
    for (const given of [
      [],
      ['--before', '2026-01-01'],
      ['--before', 'yesterday'],
      ['--before', '2026-13-01T00:00:00Z'],
    ]) {
      await expect(run('revoke', ...given)).rejects.toThrow('`--before` must be a date and time with a time zone');
    }
    await expect(run('revoke', '--before', '2999-01-01T00:00:00Z')).rejects.toThrow('must not be in the future');
    const own = ['--user', 'alice', '--server', 'own'];
    await expect(run('grants', 'list', ...own)).rejects.toThrow('model does not implement `pageGrants()`');
    await expect(run('sessions', 'list', ...own)).rejects.toThrow('model does not implement `listSessions()`');
    await expect(run('revoke', '--before', 'now', '--server', 'own')).rejects.toThrow('`revokeBefore()`');
    await expect(run('grants', 'list', '--user', 'alice', '--server', 'nobody')).rejects.toThrow('no server `nobody`');
  });

  it('use OAuth2Grants, which is injectable by class or by the name of a server', async () => {
    const [grants, ofTenants] = [context.get(OAuth2Grants), context.get<OAuth2Grants>(getOAuth2GrantsToken('tenants'))];
    const { grantId } = await issue();
    await expect(grants.list({ userId: 'alice' })).resolves.toMatchObject({ grants: [{ id: grantId }] });
    await expect(ofTenants.list({ userId: 'alice' })).rejects.toThrow('`issuer` is required');
    await expect(ofTenants.list({ userId: 'alice', issuer: 'https://acme.example' })).resolves.toEqual({ grants: [] });
  });
});
