import type { TokenExchangeModel } from '../../features/token-exchange/exchange-model.js';
import type { RevocationModel } from '../../features/revocation.js';
import type { Token } from '../../model/model.js';
import { type Check, type CheckedMethod, demand } from '../contract.js';
import type { Trial } from '../trial.js';
import { find, lookUp } from './finding.js';
import { ACCESS_TOKEN } from './kinds.js';
import { END_WITH } from './remedies.js';

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
    remedy: END_WITH,
    run: demandEndWithToken,
  },
  {
    name: 'ends with a family what its tokens were exchanged for, and no more',
    feature,
    needs: [...needs, 'revokeGrant'],
    attack,
    remedy: END_WITH,
    run: demandEndWithFamily,
  },
];

async function demandEndWithToken(trial: Trial): Promise<void> {
  await demandEnd(trial, (subject) => (trial.model as unknown as Required<RevocationModel>).revokeAccessToken(subject));
}

async function demandEndWithFamily(trial: Trial): Promise<void> {
  await demandEnd(trial, ({ grantId }) => trial.model.revokeGrant!(String(grantId)));
}

async function demandEnd(trial: Trial, end: (subject: Token) => unknown): Promise<void> {
  const [subject, other] = [await found(trial), await found(trial)];
  const one = await exchange(trial, subject);
  const further = await exchange(trial, one);
  const apart = await exchange(trial, other);
  await end(subject);
  for (const [token, which] of [
    [one, 'what it was exchanged for'],
    [further, 'what that was exchanged for'],
  ] as const) {
    demand(!(await lookUp(trial, ACCESS_TOKEN, token.accessToken)), `the token has ended, and ${which} is found`);
  }
  demand(await trial.isLetIn(apart.accessToken), 'what another token was exchanged for has ended as well');
}

/** A token as the model finds it. */
async function found(trial: Trial): Promise<Token> {
  const { saved } = await trial.saveToken();
  return (await find(trial, ACCESS_TOKEN, saved.accessToken)) as unknown as Token;
}

async function exchange(trial: Trial, subject: Token): Promise<Token> {
  const model = trial.model as unknown as Required<TokenExchangeModel>;
  const { refreshToken: _, refreshTokenExpiresAt: __, ...sent } = await trial.newToken();
  const saved = await model.saveExchangedToken(subject, sent, await trial.client(), await trial.user());
  demand(saved, '`saveExchangedToken()` returns nothing');
  return (await find(trial, ACCESS_TOKEN, saved.accessToken)) as unknown as Token;
}
