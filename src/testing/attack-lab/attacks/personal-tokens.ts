import { PERSONAL_TOKENS, type PersonalTokens } from '../../../../lib/internal.js';
import type { AttackRuns } from '../attack.js';
import { readForms } from '../forms.js';
import { Lab } from '../lab.js';
import { allOf, judge, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';

const UNKNOWN = 'attack-lab:admin';
const PAGES = ['account', 'applications', 'upstream_connections'];

/** Attacks with stolen personal access tokens. RFC 6750 §5 */
export const PERSONAL_TOKEN_ATTACKS: AttackRuns = {
  'personal-token-pages': (lab) =>
    withToken(lab, async ({ bearer }) => {
      const urls = PAGES.flatMap((id) => lab.target.urlOf(id) ?? []);
      if (urls.length === 0) throw new NotApplicable('the server has no pages of a user');
      return allOf(
        urls.map((url) => async () => {
          const response = await lab.send(url, { headers: bearer });
          return judge(response, 'the token signed its holder in on a page', Lab.isSignedIn(response));
        }),
      );
    }),
  'personal-token-grant': (lab) =>
    withToken(lab, async ({ token }) => {
      const web = await lab.client('web');
      const exchange = {
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      };
      const forms = [
        { grant_type: 'refresh_token', refresh_token: token },
        { grant_type: 'authorization_code', code: token, redirect_uri: web.redirectUri },
        exchange,
      ];
      return allOf(
        forms.map(
          (form) => async () => judge(await lab.post('token', web, form), 'the token was exchanged for another one'),
        ),
      );
    }),
  'personal-token-registration': (lab) =>
    withToken(lab, async ({ bearer }) => {
      const body = JSON.stringify({ redirect_uris: ['https://evil.attack-lab.example/callback'] });
      const send = async (headers: Record<string, string>) => {
        const response = await lab.send(lab.urlOf('registration'), {
          body,
          headers: { 'content-type': 'application/json', ...headers },
        });
        const { client_id: id } = response.json;
        if (typeof id === 'string') lab.parts.clients.removeLater(id);
        return response;
      };
      if ((await send({})).status < 400) throw new NotApplicable('clients may register without a token');
      return judge(await send(bearer), 'the token registered a client');
    }),
  'personal-token-creates-token': (lab) =>
    withToken(lab, async ({ bearer, scopes, count }) => {
      const before = await count();
      const boxes = Object.fromEntries(scopes.map((scope) => [`scope:${scope}`, '1']));
      const form = { section: 'tokens', form: 'create', token_name: 'Attack lab', ...boxes };
      const response = await lab.send(lab.urlOf('account'), { form, headers: bearer });
      return judge(response, 'a token created another one', (await count()) > before);
    }),
  'csrf-personal-token': (lab) =>
    withToken(lab, async ({ scopes, count }) => {
      const browser = await lab.victim();
      const before = await count();
      const boxes = Object.fromEntries(scopes.map((scope) => [`scope:${scope}`, '1']));
      const form = { section: 'tokens', form: 'create', token_name: 'Attack lab', ...boxes };
      const response = await browser.open(lab.urlOf('account'), { form });
      return judge(response, 'the form created a token without its CSRF token', (await count()) > before);
    }),
  'personal-token-scope': (lab) =>
    withToken(lab, async ({ source, bearer, scopes, user }) => {
      await callRoute(lab, bearer);
      for (const scope of scopes) {
        const { id, token } = await source.create(user, { name: 'Attack lab', scopes: [scope] });
        const response = await lab.callRoute(token, { dpop: null });
        await source.revoke(user, id);
        if (!Lab.isAccepted(response)) return judge(response, '', false);
      }
      if (scopes.length < 2) throw new NotApplicable('users can choose only one scope for a token');
      return succeeded('the guarded route accepted a token of each scope', await lab.callRoute(undefined));
    }),
  'personal-token-user-scope': (lab) =>
    withToken(lab, async ({ source, user, scopes }) => {
      const browser = await lab.victim();
      const page = await browser.open(lab.urlOf('account'));
      const form = readForms(page.text).find(({ fields }) => 'token_name' in fields);
      if (!form) throw new NotApplicable('the account page has no form to create a token');
      const boxes = { [`scope:${scopes[0]}`]: '1', [`scope:${UNKNOWN}`]: '1', scope: UNKNOWN };
      const response = await browser.submit(page, form, { token_name: 'Attack lab (scope)', ...boxes });
      const made = (await source.list(user)).filter(({ name }) => name === 'Attack lab (scope)');
      for (const { id } of made) await source.revoke(user, id);
      const isWide = made.some(({ scope }) => scope.split(' ').includes(UNKNOWN));
      if (isWide) return succeeded('a token was created with a scope that the user does not have', response);
      if (made.length === 0) throw new NotApplicable(`the form created no token: status ${response.status}`);
      return resisted(`the token has only the scope ${made[0]!.scope}`);
    }),
  'personal-token-revoked': (lab) =>
    withToken(lab, async ({ source, user, id, bearer }) => {
      await callRoute(lab, bearer);
      await source.revoke(user, id);
      return isRefused(lab, bearer, 'the guarded route accepted a token that its user has deleted');
    }),
  'personal-token-expired': (lab) =>
    withToken(lab, async ({ bearer }) => {
      await callRoute(lab, bearer);
      return lab.later(2 * 86_400, () => isRefused(lab, bearer, 'the guarded route accepted an expired token'));
    }),
};

/** The personal access token of the user that was stolen. */
interface StolenToken {
  id: string;
  token: string;
  /** The header with the token. */
  bearer: { authorization: string };
  source: PersonalTokens;
  user: Parameters<PersonalTokens['create']>[0];
  /** The scopes that the user can choose. */
  scopes: readonly string[];
  /** Returns the number of tokens of the user. */
  count: () => Promise<number>;
}

/** Runs an attack with a personal access token of the user, which lasts a day. All tokens of the lab end afterwards. */
async function withToken(lab: Lab, attack: (stolen: StolenToken) => Promise<Outcome>): Promise<Outcome> {
  const source = lab.target.find(PERSONAL_TOKENS)!;
  await lab.grant(await lab.client('web'));
  const user = await lab.userOf();
  const scopes = await source.scopesOf(user);
  if (scopes.length === 0) throw new NotApplicable('the user can choose no scope for a token');
  const { id, token } = await source.create(user, { name: 'Attack lab', scopes, lifetime: 86_400 });
  const bearer = { authorization: `Bearer ${token}` };
  const count = async () => (await source.list(user)).length;
  try {
    return await attack({ id, token, bearer, source, user, scopes, count });
  } finally {
    for (const one of await source.list(user)) if (one.name.startsWith('Attack lab')) await source.revoke(user, one.id);
  }
}

const send = (lab: Lab, headers: Record<string, string>): Promise<LabResponse> =>
  lab.callRoute(undefined, { headers, dpop: null });

/** Verifies that the guarded route accepts a token with all scopes. */
async function callRoute(lab: Lab, bearer: Record<string, string>): Promise<void> {
  if (!Lab.isAccepted(await send(lab, bearer)))
    throw new NotApplicable('the guarded route accepts no personal access tokens');
}

async function isRefused(lab: Lab, bearer: Record<string, string>, how: string): Promise<Outcome> {
  const response = await send(lab, bearer);
  return judge(response, how, Lab.isAccepted(response));
}
