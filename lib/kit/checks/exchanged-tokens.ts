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
  'An attacker exchanges a leaked token for another token. When the leaked token is revoked, the exchanged token stays valid, so the attacker keeps access.';

/**
 * The checks of models with `saveExchangedToken()`, which stores the subject token of a token exchange with the issued
 * token. RFC 8693
 */
export const EXCHANGED_TOKEN_CHECKS: readonly Check[] = [
  {
    name: 'revokes the tokens issued in exchange for an access token when that token is revoked, and no other tokens',
    feature,
    needs: [...needs, 'revokeAccessToken'],
    attack,
    remedy: REVOKE_WITH_SUBJECT_TOKEN,
    run: assertRevokedWithToken,
  },
  {
    name: 'revokes the tokens issued in exchange for tokens of a family when that family is revoked, and no other tokens',
    feature,
    needs: [...needs, 'revokeGrant'],
    attack,
    remedy: REVOKE_WITH_SUBJECT_TOKEN,
    run: assertRevokedWithFamily,
  },
];

async function assertRevokedWithToken(context: CheckContext): Promise<void> {
  await assertRevokedBy(context, (subject) =>
    (context.model as unknown as Required<RevocationModel>).revokeAccessToken(subject),
  );
}

async function assertRevokedWithFamily(context: CheckContext): Promise<void> {
  await assertRevokedBy(context, ({ grantId }) => context.model.revokeGrant!(String(grantId)));
}

async function assertRevokedBy(context: CheckContext, revoke: (subject: Token) => unknown): Promise<void> {
  const [subject, other] = [await savedToken(context), await savedToken(context)];
  const one = await exchange(context, subject);
  const further = await exchange(context, one);
  const apart = await exchange(context, other);
  await revoke(subject);
  for (const [token, which] of [
    [one, 'the token that was issued in exchange for it'],
    [further, 'the token of a further exchange, whose subject token was the exchanged token'],
  ] as const) {
    assert(
      !(await lookUp(context, ACCESS_TOKEN, token.accessToken)),
      `After the subject token was revoked, \`getAccessToken()\` still finds ${which}.`,
    );
  }
  assert(
    await context.acceptsAccessToken(apart.accessToken),
    'Revoking a subject token also revoked a token that was issued in exchange for another subject token.',
  );
}

/** Saves a token and returns it as the model finds it. */
async function savedToken(context: CheckContext): Promise<Token> {
  const { saved } = await context.saveToken();
  return (await findSaved(context, ACCESS_TOKEN, saved.accessToken)) as unknown as Token;
}

async function exchange(context: CheckContext, subject: Token): Promise<Token> {
  const model = context.model as unknown as Required<TokenExchangeModel>;
  const { refreshToken: _, refreshTokenExpiresAt: __, ...sent } = await context.newToken();
  const saved = await model.saveExchangedToken(subject, sent, await context.client(), await context.user());
  assert(saved, '`saveExchangedToken()` returned nothing. It must return the saved token.');
  return (await findSaved(context, ACCESS_TOKEN, saved.accessToken)) as unknown as Token;
}
