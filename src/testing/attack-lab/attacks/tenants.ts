import type { AttackRuns } from '../attack.js';
import { credentialsOf } from '../credentials.js';
import { Lab } from '../lab.js';
import type { Form, Role } from '../lab-requests.js';
import { describeResponse, resisted, succeeded } from '../outcome.js';

/** Attacks across tenants. RFC 8414 §6.2, RFC 9700 §4.4 */
export const TENANT_ATTACKS: AttackRuns = {
  async 'tenant-code'(lab) {
    const { code, verifier, redirectUri } = await lab.grant('web');
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
    return other(lab, 'web', form);
  },
  async 'tenant-refresh-token'(lab) {
    const refresh = await lab.refreshToken();
    return other(lab, 'web', { grant_type: 'refresh_token', refresh_token: refresh });
  },
  'tenant-client': async (lab) => other(lab, 'machine', await lab.machineForm()),
  async 'tenant-access-token'(lab) {
    const { access } = await lab.tokens('web');
    const { path } = lab.target.guarded!;
    const prefix = [lab.target.issuer, lab.parts.otherTarget!.issuer].map((issuer) =>
      new URL(issuer!).pathname.replace(/\/$/, ''),
    );
    const there = prefix[0] && path.startsWith(prefix[0]) ? prefix[1] + path.slice(prefix[0].length) : path;
    const url = new URL(there, lab.parts.otherTarget!.origin).href;
    return lab.callGuarded(url, { headers: { authorization: `Bearer ${access}` } });
  },
  async 'tenant-session'(lab) {
    const browser = (await lab.signedIn()).copy();
    const url = lab.parts.otherTarget!.urlOf('applications') ?? lab.parts.otherTarget!.urlOf('login');
    if (url === undefined) return resisted('the tenants have no pages');
    const page = await browser.open(url);
    return Lab.isSignedIn(page)
      ? succeeded('the session of one tenant is signed in at another', page)
      : resisted(describeResponse(page));
  },
};

/** Sends a request of a client to the token endpoint of the other tenant. */
async function other(lab: Lab, role: Role, form: Form) {
  const { issuer } = lab.parts.otherTarget!;
  const { headers, form: credentials } = credentialsOf(await lab.client(role), issuer!, lab.random);
  return lab.send(lab.parts.otherTarget!.urlOf('token')!, { form: { ...credentials, ...form }, headers });
}
