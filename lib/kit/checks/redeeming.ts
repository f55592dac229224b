import type { AuthorizationCode, RefreshToken, Token, Unsaved } from '../../model/model.js';
import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { callModel, findSaved, lookUp, inspectValue } from './model-calls.js';
import { ACCESS_TOKEN, type SavedToken, REFRESH_TOKEN, type SingleUseKind } from './token-kinds.js';
import { REDEEM } from './remedies.js';

/** Returns the checks of `redeem()`, which marks a code or token as used and saves the new tokens in one step. */
export function redeemingChecks(kind: SingleUseKind): Check[] {
  const { token, aToken, feature } = kind;
  const needs = [...kind.needs, 'getAccessToken', 'redeem'] as const;
  const remedy = REDEEM;
  return [
    {
      name: `redeems ${aToken} only once, and saves no tokens for a second caller`,
      feature,
      needs,
      attack: `An attacker who finds a used ${token} redeems it again. Or the database contains valid tokens that no client has received.`,
      remedy,
      run: (context) => assertSingleRedemption(context, kind),
    },
    {
      name: `redeems ${aToken} and saves the new tokens, or does neither`,
      feature,
      needs,
      attack: `No attack is needed: a process stops or a connection breaks between the two steps. The client then has no tokens, and its retry looks like a replay, so the user is signed out.`,
      remedy,
      run: (context) => assertAtomicRedemption(context, kind),
    },
    {
      name: `redeems ${aToken} for only one of many concurrent callers, and saves tokens only for that caller`,
      feature,
      needs,
      race: true,
      attack: `An attacker who steals ${aToken} redeems it at the same moment as its owner. Both get tokens, and no replay is detected.`,
      remedy,
      run: (context) => assertOneRedeemer(context, kind),
    },
  ];
}

/**
 * One attempt to redeem a code or refresh token: the new token, and the function that calls `redeem()` of the model.
 */
interface Attempt {
  token: Unsaved<Token>;
  redeem(token?: Unsaved<Token>): Promise<Token | undefined>;
}

/** Prepares a redemption as the server does: finds the code or refresh token, and generates the new token. */
export async function prepareRedemption(
  context: CheckContext,
  kind: SingleUseKind,
  { value, sent }: SavedToken,
): Promise<Attempt> {
  const stored = { [kind.field]: value, ...(await lookUp(context, kind, value)) } as unknown;
  const [client, user] = [await context.client(), await context.user()];
  const { grantId } = sent as { grantId?: string };
  const token = await context.newToken(grantId ? { grantId } : {});
  return {
    token,
    async redeem(tokenToSave = token) {
      const saved = await context.model.redeem!(stored as AuthorizationCode | RefreshToken, tokenToSave, client, user);
      return saved || undefined;
    },
  };
}

async function assertSingleRedemption(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const held = await kind.save(context);
  const [first, second] = [await prepareRedemption(context, kind, held), await prepareRedemption(context, kind, held)];
  const saved = await first.redeem();
  assert(saved, `\`redeem()\` returns nothing to the first caller, although the ${kind.token} is unused.`);
  assert(
    saved.accessToken === first.token.accessToken && saved.refreshToken === first.token.refreshToken,
    '`redeem()` does not return the token that it was passed.',
  );
  assert(
    await context.acceptsAccessToken(saved.accessToken),
    'The server does not accept the access token that `redeem()` returned.',
  );
  const again = await second.redeem();
  assert(!again, `\`redeem()\` returns a token again for ${kind.aToken} that is already used.`);
  assert(
    !(await isSaved(context, second.token)),
    `\`redeem()\` returned nothing for ${kind.aToken} that was already used, but saved the new tokens.`,
  );
  const stored = { [kind.field]: held.value, ...(await lookUp(context, kind, held.value)) };
  const result = await callModel(
    () => kind.consume(context.model, stored, held.value),
    `\`${kind.consumeMethod}()\` for ${kind.aToken} that is already used`,
  );
  assert(
    !result,
    `\`${kind.consumeMethod}()\` returns ${inspectValue(result)} for ${kind.aToken} that \`redeem()\` has marked as used.`,
  );
}

/**
 * Asserts that `redeem()` marks the code or token as used and saves the new tokens, or does neither. The check makes it
 * fail at each property access to the new token, then with a duplicate access token.
 */
async function assertAtomicRedemption(context: CheckContext, kind: SingleUseKind): Promise<void> {
  for (let looks = 0, isRedeemed = false; !isRedeemed && looks < 100; looks += 1) {
    isRedeemed = await assertConsistentAfterFailure(context, kind, (token) => breaking(token, looks));
  }
  // Without a refresh token, the check could not tell whether anything was saved.
  if (!context.model.getRefreshToken) return;
  const { accessToken } = (await context.saveToken()).saved;
  await assertConsistentAfterFailure(context, kind, (token) => ({ ...token, accessToken }));
}

type Change = (token: Unsaved<Token>) => Unsaved<Token>;

/**
 * Asserts that the model is consistent after `redeem()` failed: either the new tokens were saved, or a retry succeeds,
 * but not both.
 * @returns whether `redeem()` succeeded although the new token was changed
 */
async function assertConsistentAfterFailure(
  context: CheckContext,
  kind: SingleUseKind,
  change: Change,
): Promise<boolean> {
  const held = await kind.save(context);
  const attempt = await prepareRedemption(context, kind, held);
  const result = await attempt.redeem(change(attempt.token)).catch((error: Error) => error);
  if (result && !(result instanceof Error)) return true;
  const retried = await (await prepareRedemption(context, kind, held)).redeem().catch(() => undefined);
  // If the retry succeeds, no token of the first attempt may exist. If it fails, the tokens of the first attempt must
  // exist.
  const saved = await isSaved(context, attempt.token);
  const observation = `\`redeem()\` ${result ? 'throws' : 'returns nothing'} if saving fails`;
  assert(saved || retried, `${observation}, but the ${kind.token} is marked as used and no tokens are saved.`);
  assert(!saved || !retried, `${observation}, but tokens are saved although the ${kind.token} is still valid.`);
  return false;
}

/**
 * Returns a token that throws after this number of property accesses, so that the model fails while it saves the token.
 */
function breaking(token: Unsaved<Token>, maxAccesses: number): Unsaved<Token> {
  let looks = 0;
  const count = (key?: PropertyKey) => {
    // A promise reads `then` if the model returns the token that it was passed.
    if (key === 'then' || typeof key === 'symbol') return;
    looks += 1;
    if (looks > maxAccesses) throw new Error('The contract kit simulates a failure here.');
  };
  return new Proxy(token, {
    get(target, key) {
      count(key);
      return Reflect.get(target, key);
    },
    ownKeys(target) {
      count();
      return Reflect.ownKeys(target);
    },
  });
}

/** Whether the access token or the refresh token was saved. */
async function isSaved(context: CheckContext, { accessToken, refreshToken }: Unsaved<Token>): Promise<boolean> {
  if (await lookUp(context, ACCESS_TOKEN, accessToken)) return true;
  return Boolean(refreshToken && context.model.getRefreshToken && (await lookUp(context, REFRESH_TOKEN, refreshToken)));
}

/** Asserts that exactly one caller can redeem a code or token. All callers find it before any of them redeems it. */
async function assertOneRedeemer(context: CheckContext, kind: SingleUseKind): Promise<void> {
  const held = await kind.save(context);
  await findSaved(context, kind, held.value);
  const callers = Array.from({ length: context.parallel });
  const attempts = await Promise.all(callers.map(() => prepareRedemption(context, kind, held)));
  const results = await Promise.allSettled(attempts.map((attempt) => attempt.redeem()));
  const winners = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  const observation = `\`redeem()\` returned a token to ${winners} of ${context.parallel} concurrent callers`;
  assert(winners === 1, `${observation}. Exactly one must succeed.`);
  const saved = await Promise.all(attempts.map(({ token }) => isSaved(context, token)));
  const count = saved.filter(Boolean).length;
  assert(
    count === 1,
    `\`redeem()\` saved the tokens of ${count} of ${context.parallel} concurrent callers, although it returned a token to only one.`,
  );
}
