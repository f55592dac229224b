import { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { scopeText } from '../../tokens/scope.js';
import { UNKNOWN_VALUES, otherSpellings } from '../spellings.js';
import { findSaved, isRefused, lookUp, inspectValue, sleep } from './model-calls.js';
import type { SavedToken, TokenKind } from './token-kinds.js';
import { EXACT_COMPARISON, REAL_DATES } from './remedies.js';

/** What holds for everything that is saved and found again by its value. */
export function lookupChecks(kind: TokenKind): Check[] {
  const { what, one, feature, needs, table, column } = kind;
  return [
    {
      name: `finds ${one} with the client, the user and the scope it was saved with`,
      feature,
      needs,
      attack: `whoever holds ${one} acts as another user, through another client or with a wider scope than was agreed to.`,
      remedy: `save client, user and scope in the row of the ${what} and return these, not what was looked up last.
  SQL    SELECT t.*, c.*, u.* FROM ${table} t JOIN clients c ON c.id = t.client_id JOIN users u ON u.id = t.user_id WHERE t.${column} = ?`,
      run: (trial) => assertSameClientUserAndScope(trial, kind),
    },
    {
      name: `gives the expiry of ${one} back as the Date it was`,
      feature,
      needs,
      attack: `a stolen ${what} outlives its lifetime: text compares with a Date as NaN, and a lost time zone adds hours.`,
      remedy: REAL_DATES,
      run: (trial) => assertExpiryIsDate(trial, kind),
    },
    {
      name: `finds no ${what} that it never saved`,
      feature,
      needs,
      attack: `somebody without ${one} makes one up and is let in, or makes the server fail with each request.`,
      remedy: `return null when no row was found; key objects by Map, not by {}; bind values, never put them into the text of a query.
  SQL    SELECT … FROM ${table} WHERE ${column} = ?`,
      run: (trial) => assertUnknownValuesNotFound(trial, kind),
    },
    {
      name: `tells ${what}s apart to the letter`,
      feature,
      needs,
      attack: `the search for a valid ${what} takes a fraction of the guesses, and what was spent or revoked in one spelling lives on in another.`,
      remedy: EXACT_COMPARISON,
      run: (trial) => assertExactMatch(trial, kind),
    },
    {
      name: `lets no expired ${what} pass`,
      feature,
      needs,
      attack: `${one} found in an old log or backup works forever.`,
      remedy: `save the expiry you are given and return that one; do not make a new one from a lifetime when the ${what} is looked up.
  SQL    … WHERE ${column} = ? AND expires_at > now() is as good: what has expired need not be found`,
      run: (trial) => assertExpiredRejected(trial, kind),
    },
  ];
}

async function assertSameClientUserAndScope(trial: CheckContext, kind: TokenKind): Promise<void> {
  const scope = trial.scope(trial.subject.scopes ?? (await anyScope(trial)));
  const { value } = await kind.save(trial, { scope });
  await saveForAnother(trial, kind);
  const [client, user, found] = [await trial.client(), await trial.user(), await findSaved(trial, kind, value)];
  const got = (field: string) => (found[field] ?? {}) as { id?: unknown };
  const of = `\`${kind.findMethod}()\` returns`;
  if (kind.field !== 'authorizationCode') {
    assert(
      found[kind.field] === value,
      `${of} \`${kind.field}\` ${inspectValue(found[kind.field])}, not the ${kind.what} itself`,
    );
  }
  assert(
    got('client').id === client.id,
    `${of} \`client.id\` ${inspectValue(got('client').id)} for ${inspectValue(client.id)}`,
  );
  assert(found['user'], `${of} no \`user\``);
  const isSameUser = user['id'] === undefined || String(got('user').id) === String(user['id']);
  assert(isSameUser, `${of} \`user.id\` ${inspectValue(got('user').id)} for ${inspectValue(user['id'])}`);
  assert(
    words(found['scope']) === words(scope),
    `${of} \`scope\` ${inspectValue(found['scope'])} for ${inspectValue(scope)}`,
  );
}

/** Any will do, where the model does not say that the client may not have it: then what is found may have less. */
async function anyScope(trial: CheckContext): Promise<string[] | undefined> {
  const values = ['read', 'write'];
  const { model } = trial;
  if (!model.validateClientScope) return values;
  return (await model.validateClientScope(await trial.client(), trial.scope(values)!)) ? values : undefined;
}

/** So that what was saved last is not what is looked up. A model that knows no other user may refuse. */
async function saveForAnother({ subject }: CheckContext, kind: TokenKind): Promise<void> {
  const another = new CheckContext({
    ...subject,
    client: subject.otherClient ?? subject.client,
    user: { id: 'kit-other-user' },
  });
  await kind.save(another).catch(() => undefined);
}

const words = (scope: unknown) => (scopeText(scope) ?? '').split(' ').toSorted().join(' ');

async function assertExpiryIsDate(trial: CheckContext, kind: TokenKind): Promise<void> {
  const { value, sent } = await kind.save(trial);
  const found = (await findSaved(trial, kind, value))[kind.expiry];
  const of = `\`${kind.findMethod}()\` returns \`${kind.expiry}\``;
  assert(found instanceof Date, `${of} ${inspectValue(found)}, which is no Date`);
  const late = found.getTime() - (sent[kind.expiry] as Date).getTime();
  // A column may keep whole seconds.
  assert(Math.abs(late) <= 1000, `${of} ${inspectValue(found)} for ${inspectValue(sent[kind.expiry])}`);
}

async function assertUnknownValuesNotFound(trial: CheckContext, kind: TokenKind): Promise<void> {
  const { value: own, sent } = await kind.save(trial);
  // Of one saved pair of tokens neither is found in place of the other.
  const others = [sent['accessToken'], sent['refreshToken']].filter((token) => token && token !== own) as string[];
  for (const value of [...UNKNOWN_VALUES, ...others]) {
    const found = await lookUp(trial, kind, value);
    assert(!found, `\`${kind.findMethod}(${inspectValue(value)})\` returns ${inspectValue(found)}`);
  }
}

async function assertExactMatch(trial: CheckContext, kind: TokenKind): Promise<void> {
  const { value } = await kind.save(trial);
  for (const [how, spelling] of otherSpellings(value)) {
    const found = await Promise.resolve(trial.model[kind.findMethod]!(spelling)).catch(() => undefined);
    assert(
      !found,
      `\`${kind.findMethod}()\` finds the ${kind.what} ${inspectValue(value)} by ${inspectValue(spelling)}, ${how}`,
    );
  }
}

async function assertExpiredRejected(trial: CheckContext, kind: TokenKind): Promise<void> {
  const held = await saveExpired((expiresAt) => kind.save(trial, { [kind.expiry]: expiresAt }));
  const refused = await isRefused(kind.use(trial, held));
  const found = refused ? undefined : (await lookUp(trial, kind, held.value))?.[kind.expiry];
  assert(
    refused,
    `the server accepts ${kind.one} that has expired: its \`${kind.expiry}\` is returned as ${inspectValue(found)}`,
  );
}

/** Saves something that is over. A model whose rows expire by themselves may refuse that: then it is waited for. */
async function saveExpired(save: (expiresAt: Date) => Promise<SavedToken>): Promise<SavedToken> {
  try {
    return await save(new Date(Date.now() - 60_000));
  } catch {
    const held = await save(new Date(Date.now() + 1100));
    await sleep(2300);
    return held;
  }
}
