import type { AttackRuns } from '../attack.js';
import type { Lab } from '../lab.js';
import { NotApplicable, resisted, succeeded } from '../outcome.js';

const YEARS = 5 * 365 * 86_400;

/** Attacks on refresh tokens and on the lifetime of tokens. RFC 9700 §4.14 */
export const REFRESH_TOKEN_ATTACKS: AttackRuns = {
  'refresh-replay': async (lab) => (await theft(lab)).replayed,
  async 'refresh-family'(lab) {
    const { client, newest } = await detectedTheft(lab);
    return lab.refresh(client, newest);
  },
  async 'refresh-family-access'(lab) {
    const { access } = await detectedTheft(lab);
    verifyOpaque(access);
    return lab.callRoute(access);
  },
  'refresh-other-client': async (lab) => lab.refresh('evil', await lab.refreshToken()),
  async 'refresh-without-credentials'(lab) {
    const refresh = await lab.refreshToken();
    return lab.refresh(undefined, refresh, { client_id: (await lab.client('web')).id });
  },
  async 'refresh-expired'(lab) {
    const refresh = await lab.refreshToken();
    return lab.later(YEARS, () => lab.refresh('web', refresh));
  },
  async 'refresh-revoked'(lab) {
    const refresh = await lab.refreshToken();
    await lab.post('revocation', 'web', { token: refresh });
    return lab.refresh('web', refresh);
  },
  'refresh-as-access-token': async (lab) => lab.callRoute(await lab.refreshToken()),
  async 'access-expired'(lab) {
    const { access } = await lab.tokens('web');
    return lab.later(YEARS, () => lab.callRoute(access));
  },
  async 'access-revoked'(lab) {
    const tokens = await lab.tokens('web');
    verifyOpaque(tokens.access);
    await lab.post('revocation', 'web', { token: lab.refreshTokenOf(tokens) });
    return lab.callRoute(tokens.access);
  },
  async 'refresh-guessing'(lab) {
    const tokens = [await lab.tokens('web'), await lab.tokens('web')];
    for (const kind of ['refresh', 'access'] as const) {
      const [one = '', other = ''] = tokens.map((token) => token[kind] ?? '');
      const differing = Array.from(one).filter((character, at) => character !== other[at]).length;
      if (one && differing < 16) return succeeded(`two ${kind} tokens differ in only ${differing} characters`);
    }
    return resisted('tokens of one client share no pattern');
  },
  async 'snapshot-restore'(lab) {
    const { snapshot } = lab.options;
    const refresh = await lab.refreshToken();
    const backup = await snapshot!.take();
    lab.tokensOf(await lab.refresh('web', refresh));
    await lab.refresh('web', refresh);
    await snapshot!.restore(backup);
    return lab.refresh('web', refresh);
  },
};

/** A client refreshes twice. Then the attacker uses the first refresh token, which is older than any grace period. */
async function theft(lab: Lab) {
  const client = await lab.rotatingClient();
  const stolen = await lab.refreshToken(client);
  const second = lab.refreshTokenOf(lab.tokensOf(await lab.refresh(client, stolen)));
  const third = lab.tokensOf(await lab.refresh(client, second));
  const replayed = await lab.refresh(client, stolen);
  return { client, replayed, newest: lab.refreshTokenOf(third), access: third.access };
}

/** @throws {NotApplicable} If the server does not detect the theft. */
async function detectedTheft(lab: Lab) {
  const { replayed, ...stolen } = await theft(lab);
  if (replayed.status >= 400) return stolen;
  throw new NotApplicable('the server does not detect the replay, see `refresh-replay`');
}

/** @throws {NotApplicable} If the access token is a JWT. */
function verifyOpaque(access: string): void {
  if (access.split('.').length === 3) throw new NotApplicable('JWT access tokens are valid until they expire');
}
