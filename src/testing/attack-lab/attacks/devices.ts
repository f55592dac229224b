import type { AttackRuns } from '../attack.js';
import type { LabClient } from '../clients.js';
import { formWith, readForms } from '../forms.js';
import type { Lab } from '../lab.js';
import { describeResponse, Inconclusive, NotApplicable, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Attacks on the device authorization grant. RFC 8628 §5 */
export const DEVICE_ATTACKS: AttackRuns = {
  async 'device-without-consent'(lab) {
    const { device, code } = await start(lab);
    return poll(lab, device, code);
  },
  async 'device-other-client'(lab) {
    const { code } = await startApproved(lab);
    return poll(lab, await deviceClient(lab, 'other'), code);
  },
  async 'device-replay'(lab) {
    const { device, code } = await startApproved(lab);
    lab.tokensOf(await poll(lab, device, code));
    return poll(lab, device, code);
  },
  async 'device-link'(lab) {
    const { device, code, page } = await start(lab);
    const response = await (await lab.signedIn()).open(page, { from: 'evil' });
    const outcome = lab.judge(await poll(lab, device, code));
    if (outcome.verdict === 'succeeded') return outcome;
    return readForms(response.text).length > 0
      ? resisted('the link only fills in the code, and the user must confirm it')
      : succeeded('the page shows no form to confirm the code', response);
  },
  async 'csrf-device'(lab) {
    const { device, code, page } = await start(lab);
    const browser = await lab.signedIn();
    const user_code = new URL(page).searchParams.get('user_code') ?? '';
    for (const from of ['evil', 'own'] as const)
      await browser.open(page, { form: { user_code, decision: 'allow' }, from });
    return poll(lab, device, code);
  },
  async 'device-expired'(lab) {
    const { device, code } = await startApproved(lab);
    return lab.later(86_400, () => poll(lab, device, code));
  },
  async 'device-code-guessing'(lab) {
    const { code, page } = await start(lab);
    const user = new URL(page).searchParams.get('user_code')?.replaceAll(/\W/g, '') ?? '';
    return code.length < 22 || user.length < 6
      ? succeeded(`the device code has ${code.length} and the user code ${user.length} characters`)
      : resisted(`${code.length} and ${user.length} characters`);
  },
  async 'race-device-code'(lab) {
    const { device, code } = await startApproved(lab);
    const responses = await lab.race(() => poll(lab, device, code));
    const count = responses.filter(({ status }) => status === 200).length;
    if (count === 0) throw new Inconclusive(`no caller got tokens: ${describeResponse(responses[0]!)}`);
    return count === 1
      ? resisted(`1 of ${responses.length} callers succeeded`)
      : succeeded(`${count} of ${responses.length} callers got tokens`, responses[0]);
  },
};

const deviceClient = (lab: Lab, role: string) => lab.newClient({ grants: [GRANT] }, role);

async function start(lab: Lab) {
  const device = await deviceClient(lab, 'device');
  const scope = device.scopes.filter((one) => one !== 'offline_access').join(' ');
  const { resource } = lab.target;
  const response = await lab.post('device_authorization', device, { scope, resource });
  const { device_code: code, verification_uri_complete: page } = response.json as Record<string, string>;
  if (code === undefined) throw new Inconclusive(`no device code: ${describeResponse(response)}`);
  if (page === undefined) throw new NotApplicable('the server sends no `verification_uri_complete`');
  return { device, code, page };
}

const poll = (lab: Lab, device: LabClient, code: string): Promise<LabResponse> =>
  lab.post('token', device, { grant_type: GRANT, device_code: code });

/** The user confirms the code and allows access. */
async function startApproved(lab: Lab) {
  const started = await start(lab);
  const browser = await lab.signedIn();
  const page = await browser.open(started.page);
  const form = formWith(page.text, 'user_code');
  if (!form) throw new NotApplicable('the page for devices has no form with `user_code`');
  const { page: last } = await lab.parts.browsers.follow(browser, await browser.submit(page, form));
  if (last.status === 429) throw new NotApplicable('the server limits the codes of this user at the moment');
  return started;
}
