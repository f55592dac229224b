import type { AttackRuns } from '../attack.js';
import type { Lab } from '../lab.js';
import type { Form } from '../lab-requests.js';
import { describeResponse, judge, type Outcome, resisted, succeeded } from '../outcome.js';

/** Attacks on PKCE. RFC 7636, RFC 9700 §2.1.1 */
export const PKCE_ATTACKS: AttackRuns = {
  'pkce-missing': async (lab) =>
    refusesCode(
      lab,
      { code_challenge: undefined, code_challenge_method: undefined },
      'a public client got a code without PKCE',
    ),
  async 'pkce-plain'(lab) {
    const plain = { code_challenge: lab.random.next(43), code_challenge_method: 'plain' };
    return refusesCode(lab, plain, 'the server accepted the challenge method `plain`', 'web');
  },
  async 'pkce-method-missing'(lab) {
    const challenge = lab.random.next(43);
    const changes = { code_challenge: challenge, code_challenge_method: undefined };
    const grant = await lab.authorize(await lab.client('web'), changes);
    if (grant.code === undefined) return judge(grant.page, '', false);
    return judge(await lab.redeem({ ...grant, verifier: challenge }), 'a challenge without a method counts as `plain`');
  },
  async 'pkce-code-injection'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    const response = await lab.redeem({ ...grant, verifier: lab.random.next(43) });
    return judge(response, 'a code was redeemed with the verifier of another request');
  },
  async 'pkce-no-verifier'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    return judge(
      await lab.redeem(grant, { code_verifier: undefined }),
      'a code with a challenge was redeemed without a verifier',
    );
  },
  async 'pkce-challenge-as-verifier'(lab) {
    const challenge = 'pRTP1VbAbjxqFqkXZmdYzCXDSJVgDZ0AnZC7D8JWbY0';
    const grant = await lab.grant(await lab.client('web'), { code_challenge: challenge });
    return judge(await lab.redeem({ ...grant, verifier: challenge }), 'the challenge was accepted as the verifier');
  },
  async 'pkce-downgrade'(lab) {
    const removed = { code_challenge: undefined, code_challenge_method: undefined };
    const grant = await lab.authorize(await lab.client('web'), removed);
    if (grant.code === undefined)
      return resisted(`a request without a challenge got no code: ${describeResponse(grant.page)}`);
    return judge(await lab.redeem(grant), 'a code without a challenge was redeemed with a verifier');
  },
};

async function refusesCode(lab: Lab, changes: Form, how: string, role: 'app' | 'web' = 'app'): Promise<Outcome> {
  const { code, page } = await lab.authorize(await lab.client(role), changes);
  return code === undefined ? judge(page, how, false) : succeeded(how, page);
}
