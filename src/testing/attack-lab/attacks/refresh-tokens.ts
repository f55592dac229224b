import type { AttackRuns } from '../attack.js';
import { Lab } from '../lab.js';
import { judge, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';

const YEARS = 5 * 365 * 86_400;

/** Attacks on refresh tokens and on the lifetime of tokens. RFC 9700 §4.14 */
export const REFRESH_TOKEN_ATTACKS: AttackRuns = {
  'refresh-replay': async (lab) => judge((await theft(lab)).replayed, 'a used refresh token was accepted again'),
  async 'refresh-family'(lab) {
    const { client, replayed, newest } = await theft(lab);
    if (replayed.status < 400) throw new NotApplicable('the server does not detect the replay, see `refresh-replay`');
    return judge(await lab.refresh(client, newest), 'the family was not revoked');
  },
  async 'refresh-family-access'(lab) {
    const { replayed, access } = await theft(lab);
    if (replayed.status < 400) throw new NotApplicable('the server does not detect the replay, see `refresh-replay`');
    if (access.split('.').length === 3) throw new NotApplicable('JWT access tokens are valid until they expire');
    const response = await lab.callRoute(access);
    return judge(response, 'the access token of the family is still valid', Lab.isAccepted(response));
  },
  async 'refresh-other-client'(lab) {
    const refresh = lab.refreshTokenOf(await lab.tokens(await lab.client('web')));
    return judge(
      await lab.refresh(await lab.client('evil'), refresh),
      'a client used the refresh token of another client',
    );
  },
  async 'refresh-without-credentials'(lab) {
    const web = await lab.client('web');
    const refresh = lab.refreshTokenOf(await lab.tokens(web));
    return judge(
      await lab.refresh(undefined, refresh, { client_id: web.id }),
      'a confidential client needed no credentials',
    );
  },
  async 'refresh-expired'(lab) {
    const web = await lab.client('web');
    const refresh = lab.refreshTokenOf(await lab.tokens(web));
    return judge(
      await lab.later(YEARS, () => lab.refresh(web, refresh)),
      'a refresh token of five years ago was accepted',
    );
  },
  async 'refresh-revoked'(lab) {
    const web = await lab.client('web');
    const refresh = lab.refreshTokenOf(await lab.tokens(web));
    await lab.post('revocation', web, { token: refresh });
    return judge(await lab.refresh(web, refresh), 'a revoked refresh token was accepted');
  },
  async 'refresh-as-access-token'(lab) {
    const refresh = lab.refreshTokenOf(await lab.tokens(await lab.client('web')));
    const response = await lab.callRoute(refresh);
    return judge(response, 'the guarded route accepted a refresh token', Lab.isAccepted(response));
  },
  async 'access-expired'(lab) {
    const { access } = await lab.tokens(await lab.client('web'));
    const response = await lab.later(YEARS, () => lab.callRoute(access));
    return judge(response, 'an access token of five years ago was accepted', Lab.isAccepted(response));
  },
  async 'access-revoked'(lab) {
    const web = await lab.client('web');
    const tokens = await lab.tokens(web);
    if (tokens.access.split('.').length === 3) throw new NotApplicable('JWT access tokens are valid until they expire');
    await lab.post('revocation', web, { token: lab.refreshTokenOf(tokens) });
    const response = await lab.callRoute(tokens.access);
    return judge(response, 'the access token of a revoked grant is still valid', Lab.isAccepted(response));
  },
  async 'refresh-guessing'(lab): Promise<Outcome> {
    const web = await lab.client('web');
    const tokens = [await lab.tokens(web), await lab.tokens(web)];
    for (const kind of ['refresh', 'access'] as const) {
      const [one = '', other = ''] = tokens.map((token) => token[kind] ?? '');
      const differing = Array.from(one).filter((character, at) => character !== other[at]).length;
      if (one && differing < 16) return succeeded(`two ${kind} tokens differ in only ${differing} characters`);
    }
    return resisted('tokens of one client share no pattern');
  },
  async 'snapshot-restore'(lab) {
    const { snapshot } = lab.parts.context.options;
    const web = await lab.client('web');
    const refresh = lab.refreshTokenOf(await lab.tokens(web));
    const backup = await snapshot!.take();
    lab.tokensOf(await lab.refresh(web, refresh));
    await lab.refresh(web, refresh);
    await snapshot!.restore(backup);
    return judge(await lab.refresh(web, refresh), 'the restored database accepts a refresh token that was revoked');
  },
};

/** A client refreshes twice. Then the attacker uses the first refresh token, which is older than any grace period. */
async function theft(lab: Lab) {
  const { alwaysIssueNewRefreshToken: rotates } = lab.target.server.context.options as {
    alwaysIssueNewRefreshToken?: boolean;
  };
  const isPublic = rotates === false;
  if (isPublic && lab.parts.context.lacks('public clients') !== undefined) {
    throw new NotApplicable('refresh tokens are bound to their clients and not rotated');
  }
  const client = await lab.client(isPublic ? 'app' : 'web');
  const stolen = lab.refreshTokenOf(await lab.tokens(client));
  const second = lab.refreshTokenOf(lab.tokensOf(await lab.refresh(client, stolen)));
  const third = lab.tokensOf(await lab.refresh(client, second));
  const replayed = await lab.refresh(client, stolen);
  return { client, replayed, newest: lab.refreshTokenOf(third), access: third.access };
}
