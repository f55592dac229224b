import type { RevocationModel } from '../../features/revocation.js';
import type { Token } from '../../model/model.js';
import { withClockOffset } from '../clock.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { CLOCKS } from './clocks.js';
import { findSaved, lookUp, inspectValue } from './model-calls.js';
import { ACCESS_TOKEN, type SavedToken, REFRESH_TOKEN } from './token-kinds.js';
import { CLOCK_INDEPENDENT, REVOKE_ACCESS_TOKEN } from './remedies.js';

const feature = 'token revocation';
const needs: readonly CheckedMethod[] = ['getClient', 'saveToken', 'getAccessToken', 'revokeAccessToken'];

/** What a model must do for the feature `revocation`. */
export const REVOCATION_CHECKS: readonly Check[] = [
  {
    name: 'ends an access token, and no other token',
    feature,
    needs,
    attack:
      'an access token that its owner has revoked, since somebody saw it, is let in until it expires; or whoever revokes one signs out everybody.',
    remedy: REVOKE_ACCESS_TOKEN,
    run: assertOnlyThatTokenRevoked,
  },
  {
    name: 'ends an access token again, or one that it never saved, without harm',
    feature,
    needs,
    attack:
      'a client whose answer was lost asks again, and is told that its token could not be revoked, or wakes it: it was dead, and now it is let in.',
    remedy: REVOKE_ACCESS_TOKEN,
    run: assertRepeatedRevocationHarmless,
  },
  {
    name: 'ends an access token for processes whose clocks differ',
    feature,
    needs,
    attack: 'what one process has ended another one lets in until its clock has come so far.',
    remedy: CLOCK_INDEPENDENT,
    run: assertRevokedDespiteClockSkew,
  },
];

async function assertOnlyThatTokenRevoked(trial: CheckContext): Promise<void> {
  const grantId = trial.newGrantId();
  const shared = grantId === undefined ? {} : { grantId };
  const first = await trial.saveToken(shared);
  const others = [await trial.saveToken(shared), await trial.saveToken()];
  await revoke(trial, first.saved.accessToken);
  await assertNotFound(trial, first.saved.accessToken, 'that was revoked');
  for (const { saved } of others) {
    assert(await trial.acceptsAccessToken(saved.accessToken), 'another access token is not let in any more');
  }
  if (!trial.model.getRefreshToken) return;
  for (const { sent, saved } of [first, ...others]) {
    const found = await lookUp(trial, REFRESH_TOKEN, saved.refreshToken ?? sent.refreshToken!);
    assert(found && !found['revokedAt'], 'a refresh token has ended with the access token');
  }
}

async function assertRepeatedRevocationHarmless(trial: CheckContext): Promise<void> {
  const [one, other] = [await ACCESS_TOKEN.save(trial), await ACCESS_TOKEN.save(trial)];
  const found = await findSaved(trial, ACCESS_TOKEN, one.value);
  const unknown = { ...found, accessToken: `${one.value}-kit` };
  for (const [token, what] of [
    [found, 'for the first time'],
    [found, 'a second time'],
    [unknown, 'that was never saved'],
  ] as const) {
    await revokeFound(trial, token, what);
  }
  await assertNotFound(trial, one.value, 'that was revoked twice');
  assert(await trial.acceptsAccessToken(other.value), 'another access token is not let in any more');
}

async function assertRevokedDespiteClockSkew(trial: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const held = await withClockOffset<SavedToken>(ahead, async () => {
      const saved = await ACCESS_TOKEN.save(trial);
      await revoke(trial, saved.value);
      return saved;
    });
    await assertNotFound(trial, held.value, `that was revoked by a process whose clock is ${how}`);
  }
}

async function revoke(trial: CheckContext, accessToken: string): Promise<void> {
  await revokeFound(trial, await findSaved(trial, ACCESS_TOKEN, accessToken), 'that is alive');
}

async function revokeFound(trial: CheckContext, found: object, what: string): Promise<void> {
  try {
    await (trial.model as unknown as RevocationModel).revokeAccessToken({ ...found } as Token);
  } catch (error) {
    assert(false, `\`revokeAccessToken()\` of an access token ${what} throws ${inspectValue(error)}`);
  }
}

async function assertNotFound(trial: CheckContext, accessToken: string, what: string): Promise<void> {
  const found = await lookUp(trial, ACCESS_TOKEN, accessToken);
  assert(!found, `\`getAccessToken()\` still finds an access token ${what}: ${inspectValue(found)}`);
}
