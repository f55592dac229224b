import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { readCommand } from '../../../src/cli/read-command.js';
import { targetOfContext } from '../../../src/cli/target-of-context.js';
import { read } from './guide-code.js';

const ISSUER = 'https://id.example';
const WEB = { id: 'web', grants: ['password', 'refresh_token'], scopes: ['read'] };
const HOUR = 3_600_000;
const START = Date.parse('2026-03-01T08:00:00Z');

/** The times of an incident, by their names in the guide. */
const TIMES = {
  'the time at which the attacker gained access': START + 2 * HOUR,
  'the time at which the attacker lost access': START + 4 * HOUR,
};

/** Returns the command of the last section of the guide, with the time that its comment names. */
function adviceOf(page: string): { command: string; time: number } {
  const section = page.split('\n## After every incident\n')[1]!;
  const [, command, comment] = /^npx nest-oauth2 (revoke --before) \S+ +# (.*)$/m.exec(section)!;
  const time = TIMES[comment as keyof typeof TIMES];
  if (time === undefined) throw new Error(`The guide names an unknown time: ${comment}`);
  return { command: command!, time };
}

describe('the advice in docs/guides/incidents.md', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Runs an incident, and the command at its end. Returns which tokens and sessions are valid afterwards. */
  async function drill(command: string, time: number) {
    const users = { findByCredentials: () => undefined, findById: (id: string) => ({ id }) };
    const store = new MemoryStore({ clients: [WEB], users });
    class Application {}
    Module({ imports: [OAuth2Module.forRoot({ model: store, issuer: ISSUER })] })(Application);
    const context = await NestFactory.createApplicationContext(Application, { logger: false });
    const at = (now: number) => jest.spyOn(Date, 'now').mockReturnValue(now);
    const expiry = new Date(START + 100 * HOUR);

    async function issue(grantId: string = randomUUID()) {
      const [accessToken, sessionId] = [randomUUID(), randomUUID()];
      await store.saveToken(
        { accessToken, grantId, accessTokenExpiresAt: expiry, scope: 'read', issuer: ISSUER },
        WEB,
        { id: 'alice' },
      );
      const times = { authTime: new Date(Date.now()), expiresAt: expiry };
      await store.saveSession({ sessionId, user: { id: 'alice' }, issuer: ISSUER, amr: ['pwd'], ...times });
      return async () => [
        (await store.getAccessToken(accessToken)) !== undefined,
        (await store.getSession(sessionId)) !== undefined,
      ];
    }

    at(START + 3 * HOUR);
    const grantId = randomUUID();
    const stolen = await issue(grantId);
    at(START + 5 * HOUR);
    const later = await issue();
    at(START + 6 * HOUR);
    const { command: found, args } = readCommand([...command.split(' '), new Date(time).toISOString()]);
    await found!.run(args, targetOfContext(context));
    const result = { stolen: await stolen(), later: await later() };
    await context.close();
    return result;
  }

  it('ends the tokens and sessions of the attacker, and keeps those of users who signed in later', async () => {
    const { command, time } = adviceOf(read('docs/guides/incidents.md'));
    expect(await drill(command, time)).toEqual({ stolen: [false, false], later: [true, true] });
  });

  it('would keep those of the attacker with the time at which the attacker gained access', async () => {
    const gained = TIMES['the time at which the attacker gained access'];
    expect(await drill('revoke --before', gained)).toEqual({ stolen: [true, true], later: [true, true] });
  });
});
