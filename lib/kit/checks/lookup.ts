import { CheckContext } from '../check-context.js';
import { type Check, assert } from '../contract.js';
import { scopeText } from '../../tokens/scope.js';
import { UNKNOWN_VALUES, otherSpellings } from '../spellings.js';
import { findSaved, isRefused, lookUp, inspectValue, sleep, inTime } from './model-calls.js';
import type { SavedToken, TokenKind } from './token-kinds.js';
import { EXACT_COMPARISON, REAL_DATES } from './remedies.js';

/** Returns the checks for a kind of code or token that is saved, and later found by its value. */
export function lookupChecks(kind: TokenKind): Check[] {
  const { token, aToken, feature, needs, table, column } = kind;
  return [
    {
      name: `finds ${aToken} with the client, user and scope it was saved with`,
      feature,
      needs,
      attack: `The holder of ${aToken} acts as another user or as another client, or with a wider scope than the user granted.`,
      remedy: `Store client, user and scope in the row of the ${token}. Return these, not the client or user that was looked up last.
  SQL    SELECT t.*, c.*, u.* FROM ${table} t JOIN clients c ON c.id = t.client_id JOIN users u ON u.id = t.user_id WHERE t.${column} = ?`,
      run: (context) => assertSameClientUserAndScope(context, kind),
    },
    {
      name: `returns the expiry of ${aToken} as the Date that was saved`,
      feature,
      needs,
      attack: `A stolen ${token} stays valid after its lifetime: comparing a string with a Date yields NaN, and a lost time zone adds hours.`,
      remedy: REAL_DATES,
      run: (context) => assertExpiryIsDate(context, kind),
    },
    {
      name: `returns nothing for ${aToken} that was never saved`,
      feature,
      needs,
      attack: `An attacker invents ${aToken} and gets access, or makes the request fail with a server error.`,
      remedy: `Return null if no row was found. Use a Map, not an object, as an in-memory index. Bind values as query parameters, never concatenate them into the query.
  SQL    SELECT … FROM ${table} WHERE ${column} = ?`,
      run: (context) => assertUnknownValuesNotFound(context, kind),
    },
    {
      name: `finds ${aToken} only by its exact value`,
      feature,
      needs,
      attack: `An attacker needs fewer attempts to guess a valid ${token}. And a used or revoked ${token} is still accepted in another spelling.`,
      remedy: EXACT_COMPARISON,
      run: (context) => assertExactMatch(context, kind),
    },
    {
      name: `makes the server reject ${aToken} that has expired`,
      feature,
      needs,
      attack: `An attacker who finds ${aToken} in an old log or backup can use it forever.`,
      remedy: `Save the expiry that is passed and return it. Do not compute a new expiry when the ${token} is looked up.
  SQL    … WHERE ${column} = ? AND expires_at > now() also works: an expired row need not be found`,
      run: (context) => assertExpiredRejected(context, kind),
    },
  ];
}

async function assertSameClientUserAndScope(context: CheckContext, kind: TokenKind): Promise<void> {
  const scope = context.scope(context.subject.scopes ?? (await anyScope(context)));
  const { value } = await kind.save(context, { scope });
  await saveForAnother(context, kind);
  const [client, user, stored] = [await context.client(), await context.user(), await findSaved(context, kind, value)];
  const got = (field: string) => (stored[field] ?? {}) as { id?: unknown };
  const prefix = `\`${kind.findMethod}()\` returns`;
  if (kind.field !== 'authorizationCode') {
    assert(
      stored[kind.field] === value,
      `${prefix} \`${kind.field}\` ${inspectValue(stored[kind.field])}. Expected: the ${kind.token} itself.`,
    );
  }
  assert(
    got('client').id === client.id,
    `${prefix} \`client.id\` ${inspectValue(got('client').id)}. Saved was ${inspectValue(client.id)}.`,
  );
  assert(stored['user'], `${prefix} no \`user\``);
  const isSameUser = user['id'] === undefined || String(got('user').id) === String(user['id']);
  assert(isSameUser, `${prefix} \`user.id\` ${inspectValue(got('user').id)}. Saved was ${inspectValue(user['id'])}.`);
  assert(
    words(stored['scope']) === words(scope),
    `${prefix} \`scope\` ${inspectValue(stored['scope'])}. Saved was ${inspectValue(scope)}.`,
  );
}

/** Returns the scope values `read` and `write`, or `undefined` if the model does not allow them for the client. */
async function anyScope(context: CheckContext): Promise<string[] | undefined> {
  const values = ['read', 'write'];
  const { model } = context;
  if (!model.validateClientScope) return values;
  return (await model.validateClientScope(await context.client(), context.scope(values)!)) ? values : undefined;
}

/**
 * Saves another record of this kind, so that the record under test is not the latest. Errors are ignored, since the
 * model may refuse this user or client.
 */
async function saveForAnother({ subject }: CheckContext, kind: TokenKind): Promise<void> {
  const another = new CheckContext({
    ...subject,
    client: subject.otherClient ?? subject.client,
    user: { id: 'kit-other-user' },
  });
  await kind.save(another).catch(() => undefined);
}

const words = (scope: unknown) => (scopeText(scope) ?? '').split(' ').toSorted().join(' ');

async function assertExpiryIsDate(context: CheckContext, kind: TokenKind): Promise<void> {
  const { value, sent } = await kind.save(context);
  const stored = (await findSaved(context, kind, value))[kind.expiry];
  const prefix = `\`${kind.findMethod}()\` returns \`${kind.expiry}\``;
  assert(stored instanceof Date, `${prefix} ${inspectValue(stored)}. It must be a Date.`);
  const saved = sent[kind.expiry] as Date;
  assert(context.isTimeSaved(stored, saved), `${prefix} ${inspectValue(stored)}. Saved was ${inspectValue(saved)}.`);
}

async function assertUnknownValuesNotFound(context: CheckContext, kind: TokenKind): Promise<void> {
  const { value: own, sent } = await kind.save(context);
  // A refresh token must not be found as an access token, or the other way around.
  const others = [sent['accessToken'], sent['refreshToken']].filter((token) => token && token !== own) as string[];
  for (const value of [...UNKNOWN_VALUES, ...others]) {
    const stored = await lookUp(context, kind, value);
    assert(!stored, `\`${kind.findMethod}(${inspectValue(value)})\` returns ${inspectValue(stored)}`);
  }
}

async function assertExactMatch(context: CheckContext, kind: TokenKind): Promise<void> {
  const { value } = await kind.save(context);
  for (const [how, spelling] of otherSpellings(value)) {
    const stored = await Promise.resolve(context.model[kind.findMethod]!(spelling)).catch(() => undefined);
    assert(
      !stored,
      `\`${kind.findMethod}()\` finds the ${kind.token} ${inspectValue(value)} by ${inspectValue(spelling)}, which is its value ${how}.`,
    );
  }
}

async function assertExpiredRejected(context: CheckContext, kind: TokenKind): Promise<void> {
  const held = await saveExpired((expiresAt) => kind.save(context, { [kind.expiry]: expiresAt }));
  const refused = await isRefused(kind.use(context, held));
  const stored = refused ? undefined : (await lookUp(context, kind, held.value))?.[kind.expiry];
  assert(
    refused,
    `The server accepts ${kind.aToken} that has expired. \`${kind.findMethod}()\` returns its \`${kind.expiry}\` as ${inspectValue(stored)}.`,
  );
}

/** Saves an expired record. If the model refuses an expiry in the past, saves one that expires soon and waits. */
async function saveExpired(save: (expiresAt: Date) => Promise<SavedToken>): Promise<SavedToken> {
  try {
    return await save(new Date(Date.now() - 60_000));
  } catch {
    return inTime(1100, async (lifetime) => {
      const held = await save(new Date(Date.now() + lifetime));
      await sleep(lifetime + 1200);
      return held;
    });
  }
}
