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

/** The checks of models for the feature `revocation()`. */
export const REVOCATION_CHECKS: readonly Check[] = [
  {
    name: 'revokes one access token, and no other token',
    feature,
    needs,
    attack:
      'The owner revoked a leaked access token, but it is accepted until it expires. Or revoking one token also invalidates tokens of other users.',
    remedy: REVOKE_ACCESS_TOKEN,
    run: assertOnlyThatTokenRevoked,
  },
  {
    name: 'does not fail when an access token is revoked that is already revoked or was never saved',
    feature,
    needs,
    attack:
      'If a client repeats a revocation because it missed the response, it gets an error, or the revoked token becomes valid again.',
    remedy: REVOKE_ACCESS_TOKEN,
    run: assertRepeatedRevocationHarmless,
  },
  {
    name: 'revokes an access token, even if the clocks of processes differ',
    feature,
    needs,
    attack: 'One process revoked an access token. Another process, whose clock is slower, still accepts it.',
    remedy: CLOCK_INDEPENDENT,
    run: assertRevokedDespiteClockSkew,
  },
];

async function assertOnlyThatTokenRevoked(context: CheckContext): Promise<void> {
  const grantId = context.newGrantId();
  const shared = grantId === undefined ? {} : { grantId };
  const first = await context.saveToken(shared);
  const others = [await context.saveToken(shared), await context.saveToken()];
  await revoke(context, first.saved.accessToken);
  await assertNotFound(context, first.saved.accessToken, 'that was revoked');
  for (const { saved } of others) {
    assert(await context.acceptsAccessToken(saved.accessToken), 'Revoking one access token also revoked another one.');
  }
  if (!context.model.getRefreshToken) return;
  for (const { sent, saved } of [first, ...others]) {
    const stored = await lookUp(context, REFRESH_TOKEN, saved.refreshToken ?? sent.refreshToken!);
    assert(stored && !stored['revokedAt'], 'Revoking an access token also revoked a refresh token.');
  }
}

async function assertRepeatedRevocationHarmless(context: CheckContext): Promise<void> {
  const [one, other] = [await ACCESS_TOKEN.save(context), await ACCESS_TOKEN.save(context)];
  const stored = await findSaved(context, ACCESS_TOKEN, one.value);
  const unknown = { ...stored, accessToken: `${one.value}-kit` };
  for (const [token, which] of [
    [stored, 'that was not revoked before'],
    [stored, 'that is already revoked'],
    [unknown, 'that was never saved'],
  ] as const) {
    await revokeFound(context, token, which);
  }
  await assertNotFound(context, one.value, 'that was revoked twice');
  assert(await context.acceptsAccessToken(other.value), 'Revoking one access token also revoked another one.');
}

async function assertRevokedDespiteClockSkew(context: CheckContext): Promise<void> {
  for (const [how, ahead] of CLOCKS) {
    const held = await withClockOffset<SavedToken>(ahead, async () => {
      const saved = await ACCESS_TOKEN.save(context);
      await revoke(context, saved.value);
      return saved;
    });
    await assertNotFound(context, held.value, `that was revoked by a process whose clock is ${how}`);
  }
}

async function revoke(context: CheckContext, accessToken: string): Promise<void> {
  await revokeFound(context, await findSaved(context, ACCESS_TOKEN, accessToken), 'that is valid');
}

async function revokeFound(context: CheckContext, stored: object, which: string): Promise<void> {
  try {
    await (context.model as unknown as RevocationModel).revokeAccessToken({ ...stored } as Token);
  } catch (error) {
    assert(false, `\`revokeAccessToken()\` throws ${inspectValue(error)} for an access token ${which}.`);
  }
}

async function assertNotFound(context: CheckContext, accessToken: string, which: string): Promise<void> {
  const stored = await lookUp(context, ACCESS_TOKEN, accessToken);
  assert(!stored, `\`getAccessToken()\` finds an access token ${which}: ${inspectValue(stored)}`);
}
