import type { AttackRuns } from '../attack.js';
import { credentialsOf } from '../credentials.js';
import { Lab } from '../lab.js';
import { describeResponse, judge, resisted, succeeded } from '../outcome.js';

/** Attacks across tenants. RFC 8414 §6.2, RFC 9700 §4.4 */
export const TENANT_ATTACKS: AttackRuns = {
  async 'tenant-code'(lab) {
    const web = await lab.client('web');
    const { code, verifier, redirectUri } = await lab.grant(web);
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
    return judge(await other(lab, 'token', form), 'another tenant redeemed the code');
  },
  async 'tenant-refresh-token'(lab) {
    const refresh = lab.refreshTokenOf(await lab.tokens(await lab.client('web')));
    return judge(
      await other(lab, 'token', { grant_type: 'refresh_token', refresh_token: refresh }),
      'another tenant accepted the refresh token',
    );
  },
  async 'tenant-client'(lab) {
    const machine = await lab.client('machine');
    return judge(await other(lab, 'token', await lab.machineForm(), machine.id), 'another tenant accepted the client');
  },
  async 'tenant-access-token'(lab) {
    const { access } = await lab.tokens(await lab.client('web'));
    const { path } = lab.target.guarded!;
    const prefix = [lab.target.issuer, lab.parts.otherTarget!.issuer].map((issuer) =>
      new URL(issuer!).pathname.replace(/\/$/, ''),
    );
    const there = prefix[0] && path.startsWith(prefix[0]) ? prefix[1] + path.slice(prefix[0].length) : path;
    const url = new URL(there, lab.parts.otherTarget!.origin).href;
    const response = await lab.send(url, { headers: { authorization: `Bearer ${access}` } });
    return judge(response, 'the guarded route of another tenant accepted the token', Lab.isAccepted(response));
  },
  async 'tenant-session'(lab) {
    await lab.grant(await lab.client('web'));
    const browser = (await lab.victim()).copy();
    const url = lab.parts.otherTarget!.urlOf('applications') ?? lab.parts.otherTarget!.urlOf('login');
    if (url === undefined) return resisted('the tenants have no pages');
    const page = await browser.open(url);
    const isSignedIn = page.status === 200 && !/type="password"/.test(page.text);
    return isSignedIn
      ? succeeded('the session of one tenant is signed in at another', page)
      : resisted(describeResponse(page));
  },
};

/** Sends a request of a client to an endpoint of the other tenant. */
async function other(lab: Lab, endpoint: string, form: Record<string, string | undefined>, id?: string) {
  const url = lab.parts.otherTarget!.urlOf(endpoint)!;
  const client = await lab.client(id === undefined ? 'web' : 'machine');
  const { headers, form: credentials } = credentialsOf(client, lab.parts.otherTarget!.issuer!, lab.random);
  return lab.send(url, { form: { ...credentials, ...form }, headers });
}
