import { isTokenName, PERSONAL_TOKENS, type PersonalTokens } from '../../../lib/internal.js';
import type { PersonalToken } from '../../../lib/index.js';
import {
  type AccountSection,
  defineSection,
  html,
  type Html,
  type PageAnswer,
  type PageCall,
  type PageProblem,
  type SectionContext,
} from '../../pages/index.js';
import { preferencesOf } from '../../pages/site.js';
import { requireOwner } from '../factors/owner.js';
import type { AccountMessage, AccountMessages } from '../messages.js';

type Call = PageCall<AccountMessage>;
type Context = SectionContext<AccountMessage>;

const DAY = 86_400;
/** The lifetimes that the form offers, in days. */
const LIFETIMES = [7, 30, 60, 90, 180, 365];
/** The ID of the endpoint of the account page, for events. */
const ENDPOINT = 'account';

interface Data {
  readonly tokens: readonly PersonalToken[];
  readonly scopes: readonly string[];
  readonly lifetimes: readonly number[];
  readonly lifetime: number;
}

/** The section in which users create and delete personal access tokens. It is shown if the server has such tokens. */
export const personalTokensSection = (messages: AccountMessages): AccountSection =>
  defineSection<Data, AccountMessage>({
    id: 'tokens',
    order: 80,
    messages,
    title: 'tokensSection',
    async get(call) {
      const found = call.server.find(PERSONAL_TOKENS);
      if (!found) return undefined;
      const [tokens, scopes] = await Promise.all([found.list(call.user), found.scopesOf(call.user)]);
      return { tokens, scopes, lifetimes: lifetimesOf(found), lifetime: found.settings.lifetime };
    },
    forms: {
      create: { post: async (call) => createToken(call, messages) },
      end: {
        done: 'tokenDeleted',
        async post(call) {
          await tokensOf(call).revoke(call.user, call.text('id') ?? '', 'withdrawn', ENDPOINT);
        },
      },
    },
    render: (data, context) =>
      html`<p>${context.message('tokensIntro')}</p>
        ${
          data.tokens.length > 0 &&
          html`<ul class="applications">
            ${data.tokens.map((token) => tokenEntry(token, context))}
          </ul>`
        }
        ${data.scopes.length > 0 && createForm(data, context)}`,
  });

const tokensOf = (call: PageCall): PersonalTokens => call.server.find(PERSONAL_TOKENS)!;

/** Returns the lifetimes that users can choose from, in seconds. */
function lifetimesOf({ settings: { lifetime, maxLifetime } }: PersonalTokens): readonly number[] {
  const offered = [...LIFETIMES.map((days) => days * DAY), lifetime].filter((one) => one <= maxLifetime);
  return [...new Set(offered)].toSorted((a, b) => a - b);
}

/**
 * Creates a token, and returns it to show once. A stolen session or password alone is not sufficient: the login must be
 * recent, with the second factor of the account.
 */
async function createToken(call: Call, messages: AccountMessages): Promise<Html | PageProblem | PageAnswer> {
  const refused = await requireOwner(call);
  if (refused) return refused;
  const tokens = tokensOf(call);
  const name = (call.text('token_name') ?? '').trim();
  if (!isTokenName(name)) return call.problem('tokenNameInvalid');
  const allowed = await tokens.scopesOf(call.user);
  const scopes = allowed.filter((one) => call.text(`scope:${one}`) !== undefined);
  if (scopes.length === 0) return call.problem('tokenScopeMissing');
  if (await tokens.isFull(call.user)) return call.problem('tokensFull');
  const requested = Number(call.text('lifetime'));
  const lifetime = lifetimesOf(tokens).includes(requested) ? requested : tokens.settings.lifetime;
  const { id, token } = await tokens.create(call.user, { name, scopes, lifetime }, ENDPOINT);
  // A change of the password ends the session, and may not find the token that is saved at the same time.
  if (!(await call.findUser())) {
    await tokens.revoke(call.user, id, 'withdrawn', ENDPOINT);
    return call.login(call.path(), { reauthenticate: true });
  }
  const { message } = call.site.renderer.contextFor(preferencesOf(call.request), messages);
  return html`<div class="notice stack" role="status">
    <p>${message('tokenCreated')}</p>
    <p><code>${token}</code></p>
  </div>`;
}

function tokenEntry({ id, name, scope, createdAt, expiresAt, lastUsedAt }: PersonalToken, context: Context): Html {
  const { message, describe, date, form } = context;
  const used = lastUsedAt ? message('tokenUsed', { date: date(lastUsedAt) }) : message('tokenUnused');
  return html`<li class="stack">
    <h3><bdi>${name}</bdi></h3>
    <ul>
      ${scope.split(' ').map((one) => html`<li>${describe(one) ?? html`<code>${one}</code>`}</li>`)}
    </ul>
    <p class="aside">${message('tokenDates', { date: date(createdAt), expires: date(expiresAt) })} ${used}</p>
    ${form('end', html`<button aria-label="${message('tokenDeleteOf', { name })}">${message('tokenDelete')}</button>`, { id })}
  </li>`;
}

function createForm({ scopes, lifetimes, lifetime }: Data, { message, describe, date, form }: Context): Html {
  const now = Date.now();
  return html`<h3>${message('tokensNew')}</h3>
    ${form(
      'create',
      html`<label for="token_name">${message('tokenName')}</label>
        <input id="token_name" name="token_name" maxlength="100" autocomplete="off" required />
        <fieldset>
          <legend>${message('tokenScopes')}</legend>
          ${scopes.map(
            (one) =>
              html`<label class="check">
                <input type="checkbox" name="scope:${one}" value="1" /> ${describe(one) ?? html`<code>${one}</code>`}
              </label>`,
          )}
        </fieldset>
        <label for="token_lifetime">${message('tokenExpiry')}</label>
        <select id="token_lifetime" name="lifetime">
          ${lifetimes.map(
            (one) =>
              html`<option value="${one}" ${one === lifetime && html`selected`}>
                ${date(new Date(now + one * 1000))}
              </option>`,
          )}
        </select>
        <button>${message('tokenCreate')}</button>`,
    )}`;
}
