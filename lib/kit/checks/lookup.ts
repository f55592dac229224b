import { Trial } from '../trial.js';
import { type Check, demand } from '../contract.js';
import { scopeText } from '../../tokens/scope.js';
import { FOREIGN, otherSpellings } from '../spellings.js';
import { find, isRefused, lookUp, shown, sleep } from './finding.js';
import type { Held, Kind } from './kinds.js';
import { EXACT, REAL_DATES } from './remedies.js';

/** What holds for everything that is saved and found again by its value. */
export function lookupChecks(kind: Kind): Check[] {
  const { what, one, feature, needs, table, column } = kind;
  return [
    {
      name: `finds ${one} with the client, the user and the scope it was saved with`,
      feature,
      needs,
      attack: `whoever holds ${one} acts as another user, through another client or with a wider scope than was agreed to.`,
      remedy: `save client, user and scope in the row of the ${what} and return these, not what was looked up last.
  SQL    SELECT t.*, c.*, u.* FROM ${table} t JOIN clients c ON c.id = t.client_id JOIN users u ON u.id = t.user_id WHERE t.${column} = ?`,
      run: (trial) => demandSame(trial, kind),
    },
    {
      name: `gives the expiry of ${one} back as the Date it was`,
      feature,
      needs,
      attack: `a stolen ${what} outlives its lifetime: text compares with a Date as NaN, and a lost time zone adds hours.`,
      remedy: REAL_DATES,
      run: (trial) => demandDate(trial, kind),
    },
    {
      name: `finds no ${what} that it never saved`,
      feature,
      needs,
      attack: `somebody without ${one} makes one up and is let in, or makes the server fail with each request.`,
      remedy: `return null when no row was found; key objects by Map, not by {}; bind values, never put them into the text of a query.
  SQL    SELECT … FROM ${table} WHERE ${column} = ?`,
      run: (trial) => demandNothingForeign(trial, kind),
    },
    {
      name: `tells ${what}s apart to the letter`,
      feature,
      needs,
      attack: `the search for a valid ${what} takes a fraction of the guesses, and what was spent or revoked in one spelling lives on in another.`,
      remedy: EXACT,
      run: (trial) => demandExact(trial, kind),
    },
    {
      name: `lets no expired ${what} pass`,
      feature,
      needs,
      attack: `${one} found in an old log or backup works forever.`,
      remedy: `save the expiry you are given and return that one; do not make a new one from a lifetime when the ${what} is looked up.
  SQL    … WHERE ${column} = ? AND expires_at > now() is as good: what has expired need not be found`,
      run: (trial) => demandOver(trial, kind),
    },
  ];
}

async function demandSame(trial: Trial, kind: Kind): Promise<void> {
  const scope = trial.scope(trial.subject.scopes ?? (await anyScope(trial)));
  const { value } = await kind.save(trial, { scope });
  await saveForAnother(trial, kind);
  const [client, user, found] = [await trial.client(), await trial.user(), await find(trial, kind, value)];
  const got = (field: string) => (found[field] ?? {}) as { id?: unknown };
  const of = `\`${kind.finder}()\` returns`;
  if (kind.field !== 'authorizationCode') {
    demand(
      found[kind.field] === value,
      `${of} \`${kind.field}\` ${shown(found[kind.field])}, not the ${kind.what} itself`,
    );
  }
  demand(got('client').id === client.id, `${of} \`client.id\` ${shown(got('client').id)} for ${shown(client.id)}`);
  demand(found['user'], `${of} no \`user\``);
  const isSameUser = user['id'] === undefined || String(got('user').id) === String(user['id']);
  demand(isSameUser, `${of} \`user.id\` ${shown(got('user').id)} for ${shown(user['id'])}`);
  demand(words(found['scope']) === words(scope), `${of} \`scope\` ${shown(found['scope'])} for ${shown(scope)}`);
}

/** Any will do, where the model does not say that the client may not have it: then what is found may have less. */
async function anyScope(trial: Trial): Promise<string[] | undefined> {
  const values = ['read', 'write'];
  const { model } = trial;
  if (!model.validateClientScope) return values;
  return (await model.validateClientScope(await trial.client(), trial.scope(values)!)) ? values : undefined;
}

/** So that what was saved last is not what is looked up. A model that knows no other user may refuse. */
async function saveForAnother({ subject }: Trial, kind: Kind): Promise<void> {
  const another = new Trial({
    ...subject,
    client: subject.otherClient ?? subject.client,
    user: { id: 'kit-other-user' },
  });
  await kind.save(another).catch(() => undefined);
}

const words = (scope: unknown) => (scopeText(scope) ?? '').split(' ').toSorted().join(' ');

async function demandDate(trial: Trial, kind: Kind): Promise<void> {
  const { value, sent } = await kind.save(trial);
  const found = (await find(trial, kind, value))[kind.expiry];
  const of = `\`${kind.finder}()\` returns \`${kind.expiry}\``;
  demand(found instanceof Date, `${of} ${shown(found)}, which is no Date`);
  const late = found.getTime() - (sent[kind.expiry] as Date).getTime();
  // A column may keep whole seconds.
  demand(Math.abs(late) <= 1000, `${of} ${shown(found)} for ${shown(sent[kind.expiry])}`);
}

async function demandNothingForeign(trial: Trial, kind: Kind): Promise<void> {
  const { value: own, sent } = await kind.save(trial);
  // Of one saved pair of tokens neither is found in place of the other.
  const others = [sent['accessToken'], sent['refreshToken']].filter((token) => token && token !== own) as string[];
  for (const value of [...FOREIGN, ...others]) {
    const found = await lookUp(trial, kind, value);
    demand(!found, `\`${kind.finder}(${shown(value)})\` returns ${shown(found)}`);
  }
}

async function demandExact(trial: Trial, kind: Kind): Promise<void> {
  const { value } = await kind.save(trial);
  for (const [how, spelling] of otherSpellings(value)) {
    const found = await Promise.resolve(trial.model[kind.finder]!(spelling)).catch(() => undefined);
    demand(!found, `\`${kind.finder}()\` finds the ${kind.what} ${shown(value)} by ${shown(spelling)}, ${how}`);
  }
}

async function demandOver(trial: Trial, kind: Kind): Promise<void> {
  const held = await saveExpired((expiresAt) => kind.save(trial, { [kind.expiry]: expiresAt }));
  const refused = await isRefused(kind.use(trial, held));
  const found = refused ? undefined : (await lookUp(trial, kind, held.value))?.[kind.expiry];
  demand(
    refused,
    `the server accepts ${kind.one} that has expired: its \`${kind.expiry}\` is returned as ${shown(found)}`,
  );
}

/** Saves something that is over. A model whose rows expire by themselves may refuse that: then it is waited for. */
async function saveExpired(save: (expiresAt: Date) => Promise<Held>): Promise<Held> {
  try {
    return await save(new Date(Date.now() - 60_000));
  } catch {
    const held = await save(new Date(Date.now() + 1100));
    await sleep(2300);
    return held;
  }
}
