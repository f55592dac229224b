import type { TokenExchangeModel } from '../../features/token-exchange/exchange-model.js';
import type { RevocationModel } from '../../features/revocation.js';
import type { Token } from '../../model/model.js';
import { type Check, type CheckedMethod, assert } from '../contract.js';
import type { CheckContext } from '../check-context.js';
import { findSaved, lookUp } from './model-calls.js';
import { ACCESS_TOKEN } from './token-kinds.js';
import { REVOKE_WITH_SUBJECT_TOKEN } from './remedies.js';

const feature = 'exchanged tokens';
const needs: readonly CheckedMethod[] = ['getClient', 'saveToken', 'getAccessToken', 'saveExchangedToken'];
const attack =
  'a token is revoked, since somebody has got it, and what was made of it by an exchange before goes on: the thief has lost nothing.';

/** What a model must do that keeps what a token was exchanged for. RFC 8693 */
export const EXCHANGED_TOKEN_CHECKS: readonly Check[] = [
  {
    name: 'ends with an access token what it was exchanged for, and no more',
    feature,
    needs: [...needs, 'revokeAccessToken'],
    attack,
    remedy: REVOKE_WITH_SUBJECT_TOKEN,
    run: assertRevokedWithToken,
  },
  {
    name: 'ends with a family what its tokens were exchanged for, and no more',
    feature,
    needs: [...needs, 'revokeGrant'],
    attack,
    remedy: REVOKE_WITH_SUBJECT_TOKEN,
    run: assertRevokedWithFamily,
  },
];

async function assertRevokedWithToken(trial: CheckContext): Promise<void> {
  await assertRevokedBy(trial, (subject) =>
    (trial.model as unknown as Required<RevocationModel>).revokeAccessToken(subject),
  );
}

async function assertRevokedWithFamily(trial: CheckContext): Promise<void> {
  await assertRevokedBy(trial, ({ grantId }) => trial.model.revokeGrant!(String(grantId)));
}

async function assertRevokedBy(trial: CheckContext, end: (subject: Token) => unknown): Promise<void> {
  const [subject, other] = [await savedToken(trial), await savedToken(trial)];
  const one = await exchange(trial, subject);
  const further = await exchange(trial, one);
  const apart = await exchange(trial, other);
  await end(subject);
  for (const [token, which] of [
    [one, 'what it was exchanged for'],
    [further, 'what that was exchanged for'],
  ] as const) {
    assert(!(await lookUp(trial, ACCESS_TOKEN, token.accessToken)), `the token has ended, and ${which} is found`);
  }
  assert(await trial.acceptsAccessToken(apart.accessToken), 'what another token was exchanged for has ended as well');
}

/** A token as the model finds it. */
async function savedToken(trial: CheckContext): Promise<Token> {
  const { saved } = await trial.saveToken();
  return (await findSaved(trial, ACCESS_TOKEN, saved.accessToken)) as unknown as Token;
}

async function exchange(trial: CheckContext, subject: Token): Promise<Token> {
  const model = trial.model as unknown as Required<TokenExchangeModel>;
  const { refreshToken: _, refreshTokenExpiresAt: __, ...sent } = await trial.newToken();
  const saved = await model.saveExchangedToken(subject, sent, await trial.client(), await trial.user());
  assert(saved, '`saveExchangedToken()` returns nothing');
  return (await findSaved(trial, ACCESS_TOKEN, saved.accessToken)) as unknown as Token;
}
