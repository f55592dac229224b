import type { AuthorizationCode, RefreshToken, Token, Unsaved } from '../../model/model.js';
import type { Trial } from '../trial.js';
import { type Check, demand } from '../contract.js';
import { answerOf, find, lookUp, shown } from './finding.js';
import { ACCESS_TOKEN, type Held, REFRESH_TOKEN, type SpendableKind } from './kinds.js';
import { REDEEM } from './remedies.js';

/** What holds for models that spend and save in one step. */
export function redeemingChecks(kind: SpendableKind): Check[] {
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
      run: (trial) => demandOneRedemption(trial, kind),
    },
    {
      name: `redeems ${one} whole or not at all`,
      feature,
      needs,
      attack: `nobody needs to attack: where a process dies or a connection breaks between the two, the user is signed out, and the retry of the client looks like a theft.`,
      remedy,
      run: (trial) => demandBothOrNeither(trial, kind),
    },
    {
      name: `lets one of many win who redeem ${one} at once, and saves for no other`,
      feature,
      needs,
      race: true,
      attack: `whoever steals ${one} redeems it in the same moment as its owner: both get tokens, and nobody notices.`,
      remedy,
      run: (trial) => demandOneRedeemer(trial, kind),
    },
  ];
}

/** Somebody who brings it, and what would be given for it. */
interface Attempt {
  token: Unsaved<Token>;
  redeem(token?: Unsaved<Token>): Promise<Token | undefined>;
}

/** As the server does it: it was found, and everything that can fail without the model is done. */
export async function prepare(trial: Trial, kind: SpendableKind, { value, sent }: Held): Promise<Attempt> {
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

async function demandOneRedemption(trial: Trial, kind: SpendableKind): Promise<void> {
  const held = await kind.save(trial);
  const [first, second] = [await prepare(trial, kind, held), await prepare(trial, kind, held)];
  const saved = await first.redeem();
  demand(saved, `\`redeem()\` returns nothing to the first caller, who brings ${kind.one} that nobody has spent`);
  demand(
    saved.accessToken === first.token.accessToken && saved.refreshToken === first.token.refreshToken,
    '`redeem()` does not return the token it was given',
  );
  demand(await trial.isLetIn(saved.accessToken), 'the access token that `redeem()` returned is not let in');
  const again = await second.redeem();
  demand(!again, `\`redeem()\` returns a token again for ${kind.one} that is spent`);
  demand(!(await isSaved(trial, second.token)), `\`redeem()\` saves tokens for ${kind.one} that it did not spend`);
  const found = { [kind.field]: held.value, ...(await lookUp(trial, kind, held.value)) };
  const spent = await answerOf(
    () => kind.spend(trial.model, found, held.value),
    `\`${kind.spender}()\` of what is spent`,
  );
  demand(!spent, `\`${kind.spender}()\` returns ${shown(spent)} for ${kind.one} that \`redeem()\` has spent`);
}

/** It breaks off at each look at the token, and then at an access token that is there already. */
async function demandBothOrNeither(trial: Trial, kind: SpendableKind): Promise<void> {
  for (let looks = 0, isRedeemed = false; !isRedeemed && looks < 100; looks += 1) {
    isRedeemed = await demandWhole(trial, kind, (token) => breaking(token, looks));
  }
  // Without a second token it could not be told whether anything was saved.
  if (!trial.model.getRefreshToken) return;
  const { accessToken } = (await trial.saveToken()).saved;
  await demandWhole(trial, kind, (token) => ({ ...token, accessToken }));
}

type Change = (token: Unsaved<Token>) => Unsaved<Token>;

/** @returns whether it was redeemed for all that */
async function demandWhole(trial: Trial, kind: SpendableKind, change: Change): Promise<boolean> {
  const held = await kind.save(trial);
  const attempt = await prepare(trial, kind, held);
  const answer = await attempt.redeem(change(attempt.token)).catch((error: Error) => error);
  if (answer && !(answer instanceof Error)) return true;
  const retried = await (await prepare(trial, kind, held)).redeem().catch(() => undefined);
  // Where the retry won, what the first one saved is dead or it is too much; where it lost, that must be there.
  const saved = await isSaved(trial, attempt.token);
  const found = `\`redeem()\` ${answer ? 'throws' : 'returns nothing'} where saving fails`;
  demand(saved || retried, `${found}, and ${kind.one} is spent for nothing`);
  demand(!saved || !retried, `${found}, and has saved tokens for ${kind.one} that is still good`);
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
async function isSaved(trial: Trial, { accessToken, refreshToken }: Unsaved<Token>): Promise<boolean> {
  if (await lookUp(trial, ACCESS_TOKEN, accessToken)) return true;
  return Boolean(refreshToken && trial.model.getRefreshToken && (await lookUp(trial, REFRESH_TOKEN, refreshToken)));
}

/** Every caller has found it before the first one redeems it. */
async function demandOneRedeemer(trial: Trial, kind: SpendableKind): Promise<void> {
  const held = await kind.save(trial);
  await find(trial, kind, held.value);
  const callers = Array.from({ length: trial.parallel });
  const attempts = await Promise.all(callers.map(() => prepare(trial, kind, held)));
  const answers = await Promise.allSettled(attempts.map((attempt) => attempt.redeem()));
  const winners = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  const of = `\`redeem()\` returned a token to ${winners} of ${trial.parallel} callers at once`;
  demand(winners === 1, `${of}: exactly one may win`);
  const saved = await Promise.all(attempts.map(({ token }) => isSaved(trial, token)));
  const count = saved.filter(Boolean).length;
  demand(
    count === 1,
    `\`redeem()\` saved the tokens of ${count} of ${trial.parallel} callers at once, of whom one won`,
  );
}
