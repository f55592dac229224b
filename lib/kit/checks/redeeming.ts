import type { AuthorizationCode, RefreshToken, Token, Unsaved } from '../../model/model.js';
import type { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { callModel, findSaved, lookUp, inspectValue } from './model-calls.js';
import { ACCESS_TOKEN, type SavedToken, REFRESH_TOKEN, type SingleUseKind } from './token-kinds.js';
import { REDEEM } from './remedies.js';

/** What holds for models that spend and save in one step. */
export function redeemingChecks(kind: SingleUseKind): Check[] {
  const { what, one, feature } = kind;
  const needs = [...kind.needs, 'getAccessToken', 'redeem'] as const;
  const remedy = REDEEM;
  return [
    {
      name: `redeems ${one} once, and saves nothing for whoever comes second`,
      feature,
      needs,
      attack: `whoever finds a used ${what} gets tokens for it again; or tokens that nobody was given lie in the database, and are good.`,
      remedy,
      run: (trial) => assertSingleRedemption(trial, kind),
    },
    {
      name: `redeems ${one} whole or not at all`,
      feature,
      needs,
      attack: `nobody needs to attack: where a process dies or a connection breaks between the two, the user is signed out, and the retry of the client looks like a theft.`,
      remedy,
      run: (trial) => assertAtomicRedemption(trial, kind),
    },
    {
      name: `lets one of many win who redeem ${one} at once, and saves for no other`,
      feature,
      needs,
      race: true,
      attack: `whoever steals ${one} redeems it in the same moment as its owner: both get tokens, and nobody notices.`,
      remedy,
      run: (trial) => assertOneRedeemer(trial, kind),
    },
  ];
}

/** Somebody who brings it, and what would be given for it. */
interface Attempt {
  token: Unsaved<Token>;
  redeem(token?: Unsaved<Token>): Promise<Token | undefined>;
}

/** As the server does it: it was found, and everything that can fail without the model is done. */
export async function prepareRedemption(
  trial: CheckContext,
  kind: SingleUseKind,
  { value, sent }: SavedToken,
): Promise<Attempt> {
  const found = { [kind.field]: value, ...(await lookUp(trial, kind, value)) } as unknown;
  const [client, user] = [await trial.client(), await trial.user()];
  const { grantId } = sent as { grantId?: string };
  const token = await trial.newToken(grantId ? { grantId } : {});
  return {
    token,
    async redeem(given = token) {
      const saved = await trial.model.redeem!(found as AuthorizationCode | RefreshToken, given, client, user);
      return saved || undefined;
    },
  };
}

async function assertSingleRedemption(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const held = await kind.save(trial);
  const [first, second] = [await prepareRedemption(trial, kind, held), await prepareRedemption(trial, kind, held)];
  const saved = await first.redeem();
  assert(saved, `\`redeem()\` returns nothing to the first caller, who brings ${kind.one} that nobody has spent`);
  assert(
    saved.accessToken === first.token.accessToken && saved.refreshToken === first.token.refreshToken,
    '`redeem()` does not return the token it was given',
  );
  assert(await trial.acceptsAccessToken(saved.accessToken), 'the access token that `redeem()` returned is not let in');
  const again = await second.redeem();
  assert(!again, `\`redeem()\` returns a token again for ${kind.one} that is spent`);
  assert(!(await isSaved(trial, second.token)), `\`redeem()\` saves tokens for ${kind.one} that it did not spend`);
  const found = { [kind.field]: held.value, ...(await lookUp(trial, kind, held.value)) };
  const spent = await callModel(
    () => kind.consume(trial.model, found, held.value),
    `\`${kind.consumeMethod}()\` of what is spent`,
  );
  assert(
    !spent,
    `\`${kind.consumeMethod}()\` returns ${inspectValue(spent)} for ${kind.one} that \`redeem()\` has spent`,
  );
}

/** It breaks off at each look at the token, and then at an access token that is there already. */
async function assertAtomicRedemption(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  for (let looks = 0, isRedeemed = false; !isRedeemed && looks < 100; looks += 1) {
    isRedeemed = await assertConsistentAfterFailure(trial, kind, (token) => breaking(token, looks));
  }
  // Without a second token it could not be told whether anything was saved.
  if (!trial.model.getRefreshToken) return;
  const { accessToken } = (await trial.saveToken()).saved;
  await assertConsistentAfterFailure(trial, kind, (token) => ({ ...token, accessToken }));
}

type Change = (token: Unsaved<Token>) => Unsaved<Token>;

/** @returns whether it was redeemed for all that */
async function assertConsistentAfterFailure(
  trial: CheckContext,
  kind: SingleUseKind,
  change: Change,
): Promise<boolean> {
  const held = await kind.save(trial);
  const attempt = await prepareRedemption(trial, kind, held);
  const answer = await attempt.redeem(change(attempt.token)).catch((error: Error) => error);
  if (answer && !(answer instanceof Error)) return true;
  const retried = await (await prepareRedemption(trial, kind, held)).redeem().catch(() => undefined);
  // Where the retry won, what the first one saved is dead or it is too much; where it lost, that must be there.
  const saved = await isSaved(trial, attempt.token);
  const found = `\`redeem()\` ${answer ? 'throws' : 'returns nothing'} where saving fails`;
  assert(saved || retried, `${found}, and ${kind.one} is spent for nothing`);
  assert(!saved || !retried, `${found}, and has saved tokens for ${kind.one} that is still good`);
  return false;
}

/** A token that cannot be looked at so many times: whoever does is cut off in the middle. */
function breaking(token: Unsaved<Token>, most: number): Unsaved<Token> {
  let looks = 0;
  const count = (key?: PropertyKey) => {
    // Promises look at this one, where a model returns what it was given.
    if (key === 'then' || typeof key === 'symbol') return;
    looks += 1;
    if (looks > most) throw new Error('the kit breaks off here');
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

/** Is any of it there? */
async function isSaved(trial: CheckContext, { accessToken, refreshToken }: Unsaved<Token>): Promise<boolean> {
  if (await lookUp(trial, ACCESS_TOKEN, accessToken)) return true;
  return Boolean(refreshToken && trial.model.getRefreshToken && (await lookUp(trial, REFRESH_TOKEN, refreshToken)));
}

/** Every caller has found it before the first one redeems it. */
async function assertOneRedeemer(trial: CheckContext, kind: SingleUseKind): Promise<void> {
  const held = await kind.save(trial);
  await findSaved(trial, kind, held.value);
  const callers = Array.from({ length: trial.parallel });
  const attempts = await Promise.all(callers.map(() => prepareRedemption(trial, kind, held)));
  const answers = await Promise.allSettled(attempts.map((attempt) => attempt.redeem()));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  const of = `\`redeem()\` returned a token to ${winners} of ${trial.parallel} callers at once`;
  assert(winners === 1, `${of}: exactly one may win`);
  const saved = await Promise.all(attempts.map(({ token }) => isSaved(trial, token)));
  const count = saved.filter(Boolean).length;
  assert(
    count === 1,
    `\`redeem()\` saved the tokens of ${count} of ${trial.parallel} callers at once, of whom one won`,
  );
}
