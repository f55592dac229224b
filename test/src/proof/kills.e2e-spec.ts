import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Clients } from 'nest-oauth2';
import { checkKills } from '../../../src/proof/kills/check-kills.js';
import { REQUIREMENTS } from '../../../src/proof/kills/judge-family.js';
import { subjectOf } from '../../../src/proof/subject.js';
import { BuiltApp } from '../../processes/app-process.js';
import { IN_MEMORY, proof } from './killed-store.js';

type Requirement = keyof typeof REQUIREMENTS;

const ALL = Object.keys(REQUIREMENTS) as Requirement[];
const CASES: readonly [fault: string, failed: readonly Requirement[], message: RegExp][] = [
  ['none', [], /^$/],
  ['codes that are only marked in the memory of the process', ['codes'], /A code led to tokens/],
  [
    'refresh tokens that are only marked in the memory of the process',
    ['refreshTokens'],
    /A used refresh token was accepted again/,
  ],
  ['access tokens that only their process knows', ['losses'], /access token that a client received is not accepted/],
  ['revocations that other processes do not see', ['ends'], /of a revoked grant was accepted/],
  [IN_MEMORY, ALL, /Another process cannot use the store: The model does not find `client` of the fixtures/],
];

describe('the processes that `nest-oauth2 prove` kills', () => {
  const app = new BuiltApp('src/proof/rolldown.kills.js');
  let folder: string;

  beforeAll(async () => {
    await app.build();
    folder = await mkdtemp(join(tmpdir(), 'kills-'));
  });
  afterAll(async () => {
    await app.remove();
    await rm(folder, { recursive: true });
  });

  it.each(CASES)('show a store with the fault: %s', async (fault, failed, message) => {
    const place = JSON.stringify({ fault, file: join(folder, `${fault.replaceAll(' ', '-')}.sqlite`) });
    const program = app.path('proof-store.js');
    const subject = subjectOf(await proof.store!(place));
    const { client, secret } = await new OAuth2Clients(subject.model).create({
      grants: ['authorization_code', 'refresh_token'],
      redirectUris: ['https://proof.example/callback'],
    });
    const request = { program, file: app.path('killed-store.js'), place, seed: 1, kills: 3 };
    const outcomes = await checkKills(subject, { id: client.id, secret: secret! }, request);
    await subject.cleanUp?.();
    const byName = new Map(outcomes.map((outcome) => [outcome.name, outcome]));
    const found = ALL.filter((one) => byName.get(REQUIREMENTS[one])!.result !== 'passed');
    // A code that is redeemed twice has further consequences.
    expect(found.slice(0, found[0] === 'codes' && fault !== IN_MEMORY ? 1 : undefined)).toEqual(failed);
    for (const one of failed) expect(byName.get(REQUIREMENTS[one])!.message).toMatch(message);
    expect(await runningPrograms(program)).toEqual([]);
  });
});

/** Returns the IDs of the processes that run a program. Empty on systems without `/proc`. */
async function runningPrograms(program: string): Promise<string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => commands[index]!.includes(program));
}
