import { PERSONAL_TOKENS, type PersonalTokens } from '../../../../lib/internal.js';
import type { Attack, AttackRuns } from '../attack.js';
import { formWith } from '../forms.js';
import { Lab } from '../lab.js';
import { NotApplicable, resisted, succeeded } from '../outcome.js';
import { register } from './client-urls.js';

const UNKNOWN = 'attack-lab:admin';
const PAGES = ['account', 'applications', 'upstream_connections'];

/** Attacks with stolen personal access tokens. RFC 6750 §5 */
export const PERSONAL_TOKEN_ATTACKS: AttackRuns = {
  'personal-token-pages': withToken(async (lab, { bearer }) => {
    const urls = lab.urlsOf(PAGES);
    if (urls.length === 0) throw new NotApplicable('the server has no pages of a user');
    return lab.judgeAll(urls, async (url) => {
      const response = await lab.send(url, { headers: bearer });
      return lab.judge(response, Lab.isSignedIn(response));
    });
  }),
  'personal-token-grant': withToken(async (lab, { token }) => {
    const { redirectUri } = await lab.client('web');
    const exchange = {
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    };
    const forms = [
      { grant_type: 'refresh_token', refresh_token: token },
      { grant_type: 'authorization_code', code: token, redirect_uri: redirectUri },
      exchange,
    ];
    return lab.judgeAll(forms, (form) => lab.post('token', 'web', form));
  }),
  'personal-token-registration': withToken(async (lab, { bearer }) => {
    if ((await register(lab, {})).status < 400) throw new NotApplicable('clients may register without a token');
    return register(lab, {}, bearer);
  }),
  'personal-token-creates-token': withToken(async (lab, { bearer, scopes, count }) => {
    const before = await count();
    const response = await lab.send(lab.urlOf('account'), { form: creation(scopes), headers: bearer });
    return lab.judge(response, (await count()) > before);
  }),
  'csrf-personal-token': withToken(async (lab, { scopes, count }) => {
    const before = await count();
    const response = await (await lab.victim()).open(lab.urlOf('account'), { form: creation(scopes) });
    return lab.judge(response, (await count()) > before);
  }),
  'personal-token-scope': withToken(async (lab, { source, bearer, scopes, user }) => {
    await verifyAccepted(lab, bearer);
    for (const scope of scopes) {
      const { id, token } = await source.create(user, { name: 'Attack lab', scopes: [scope] });
      const response = await lab.callRoute(token, { dpop: null });
      await source.revoke(user, id);
      if (!response.isAccepted) return lab.judge(response, false);
    }
    if (scopes.length < 2) throw new NotApplicable('users can choose only one scope for a token');
    return succeeded('the guarded route accepted a token of each scope', await lab.callRoute(undefined));
  }),
  'personal-token-user-scope': withToken(async (lab, { source, user, scopes }) => {
    const browser = await lab.victim();
    const page = await browser.open(lab.urlOf('account'));
    const form = formWith(page.text, 'token_name');
    if (!form) throw new NotApplicable('the account page has no form to create a token');
    const boxes = { [`scope:${scopes[0]}`]: '1', [`scope:${UNKNOWN}`]: '1', scope: UNKNOWN };
    const response = await browser.submit(page, form, { token_name: 'Attack lab (scope)', ...boxes });
    const made = (await source.list(user)).filter(({ name }) => name === 'Attack lab (scope)');
    const isWide = made.some(({ scope }) => scope.split(' ').includes(UNKNOWN));
    if (isWide) return succeeded('a token was created with a scope that the user does not have', response);
    if (made.length === 0) throw new NotApplicable(`the form created no token: status ${response.status}`);
    return resisted(`the token has only the scope ${made[0]!.scope}`);
  }),
  'personal-token-revoked': withToken(async (lab, { source, user, id, bearer }) => {
    await verifyAccepted(lab, bearer);
    await source.revoke(user, id);
    return callRoute(lab, bearer);
  }),
  'personal-token-expired': withToken(async (lab, { bearer }) => {
    await verifyAccepted(lab, bearer);
    return lab.later(2 * 86_400, () => callRoute(lab, bearer));
  }),
};

/** Returns the form of the account page that creates a token. */
const creation = (scopes: readonly string[]) => ({
  section: 'tokens',
  form: 'create',
  token_name: 'Attack lab',
  ...Object.fromEntries(scopes.map((scope) => [`scope:${scope}`, '1'])),
});

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

/** Returns an attack with a personal access token of the user, which lasts a day. All tokens of the lab end afterwards. */
function withToken(attack: (lab: Lab, stolen: StolenToken) => ReturnType<Attack['run']>): Attack['run'] {
  return async (lab) => {
    const source = lab.target.find(PERSONAL_TOKENS)!;
    const user = await lab.userOf();
    const scopes = await source.scopesOf(user);
    if (scopes.length === 0) throw new NotApplicable('the user can choose no scope for a token');
    const { id, token } = await source.create(user, { name: 'Attack lab', scopes, lifetime: 86_400 });
    const bearer = { authorization: `Bearer ${token}` };
    const count = async () => (await source.list(user)).length;
    try {
      return await attack(lab, { id, token, bearer, source, user, scopes, count });
    } finally {
      const own = (await source.list(user)).filter(({ name }) => name.startsWith('Attack lab'));
      for (const one of own) await source.revoke(user, one.id);
    }
  };
}

const callRoute = (lab: Lab, bearer: Record<string, string>) =>
  lab.callRoute(undefined, { headers: bearer, dpop: null });

/** @throws {NotApplicable} If the guarded route does not accept a token with all scopes. */
async function verifyAccepted(lab: Lab, bearer: Record<string, string>): Promise<void> {
  if ((await callRoute(lab, bearer)).isAccepted) return;
  throw new NotApplicable('the guarded route accepts no personal access tokens');
}
