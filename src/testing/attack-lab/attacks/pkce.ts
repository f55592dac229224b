import type { AttackRuns } from '../attack.js';
import { describeResponse, resisted } from '../outcome.js';

/** Changes to an authorization request that remove its code challenge. */
const WITHOUT_CHALLENGE = { code_challenge: undefined, code_challenge_method: undefined };

/** Attacks on PKCE. RFC 7636, RFC 9700 §2.1.1 */
export const PKCE_ATTACKS: AttackRuns = {
  async 'pkce-missing'(lab) {
    const { code, page } = await lab.authorize('app', WITHOUT_CHALLENGE);
    return lab.judge(page, code !== undefined);
  },
  async 'pkce-plain'(lab) {
    const plain = { code_challenge: lab.random.next(43), code_challenge_method: 'plain' };
    const { code, page } = await lab.authorize('web', plain);
    return lab.judge(page, code !== undefined);
  },
  async 'pkce-method-missing'(lab) {
    const challenge = lab.random.next(43);
    const grant = await lab.authorize('web', { code_challenge: challenge, code_challenge_method: undefined });
    if (grant.code === undefined) return lab.judge(grant.page, false);
    return lab.redeem({ ...grant, verifier: challenge });
  },
  'pkce-code-injection': async (lab) => lab.redeem({ ...(await lab.grant('web')), verifier: lab.random.next(43) }),
  'pkce-no-verifier': async (lab) => lab.redeem(await lab.grant('web'), { code_verifier: undefined }),
  async 'pkce-challenge-as-verifier'(lab) {
    const challenge = 'pRTP1VbAbjxqFqkXZmdYzCXDSJVgDZ0AnZC7D8JWbY0';
    const grant = await lab.grant('web', { code_challenge: challenge });
    return lab.redeem({ ...grant, verifier: challenge });
  },
  async 'pkce-downgrade'(lab) {
    const grant = await lab.authorize('web', WITHOUT_CHALLENGE);
    if (grant.code === undefined)
      return resisted(`a request without a challenge got no code: ${describeResponse(grant.page)}`);
    return lab.redeem(grant);
  },
};
