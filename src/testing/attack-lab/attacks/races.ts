import type { AttackRuns } from '../attack.js';
import { assertionClaims, assertionForm } from '../credentials.js';
import type { Lab } from '../lab.js';
import { Inconclusive, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';
import { push } from './request-objects.js';

/** Attacks that send one single-use value many times at once. RFC 6749 §10.5 */
export const RACE_ATTACKS: AttackRuns = {
  async 'race-code'(lab) {
    const grant = await lab.grant(await lab.client('web'));
    return onlyOne(await lab.race(() => lab.redeem(grant)), 'access_token');
  },
  async 'race-refresh'(lab) {
    const client = await rotatingClient(lab);
    const refresh = lab.refreshTokenOf(await lab.tokens(client));
    return onlyOne(await lab.race(() => lab.refresh(client, refresh)), 'refresh_token');
  },
  async 'race-consent'(lab) {
    const client = await lab.newClient({ more: { consent: 'always' } });
    const { page, consent } = await lab.authorize(client, {}, { consent: 'stop' });
    if (!consent) throw new NotApplicable('no consent page with a button `decision` is shown to the user');
    const browser = await lab.victim();
    const responses = await lab.race(() => browser.submit(page, consent, { decision: 'allow' }));
    const codes = responses.flatMap(({ headers }) => /[?&]code=([^&]*)/.exec(headers.location ?? '')?.[1] ?? []);
    return count(codes, responses);
  },
  async 'race-pushed-request'(lab) {
    const web = await lab.client('web');
    await lab.grant(web);
    const { request_uri } = await push(lab, web);
    const url = lab.at('authorize', { client_id: web.id, request_uri });
    const browser = await lab.victim();
    const responses = await lab.race(() => browser.open(url));
    const codes = responses.flatMap(({ headers }) => /[?&]code=([^&]*)/.exec(headers.location ?? '')?.[1] ?? []);
    return count(codes, responses);
  },
  async 'race-assertion'(lab) {
    const { id, key } = await lab.newClient({
      grants: ['client_credentials'],
      more: { tokenEndpointAuthMethod: 'private_key_jwt' },
    });
    const assertion = key.sign(assertionClaims(id, lab.target.issuer ?? lab.urlOf('token'), lab.random));
    const form = { ...(await lab.machineForm()), ...assertionForm(assertion) };
    return onlyOne(await lab.race(() => lab.post('token', undefined, form)), 'access_token');
  },
  async 'race-dpop-proof'(lab) {
    const machine = await lab.client('machine');
    const dpop = lab.proof(lab.urlOf('token'));
    const form = await lab.machineForm();
    return onlyOne(await lab.race(() => lab.post('token', machine, form, { dpop })), 'access_token');
  },
};

/** Returns a client whose refresh tokens are rotated. */
async function rotatingClient(lab: Lab) {
  const { alwaysIssueNewRefreshToken: rotates } = lab.target.server.context.options as {
    alwaysIssueNewRefreshToken?: boolean;
  };
  if (rotates !== false) return lab.client('web');
  if (lab.parts.context.lacks('public clients') !== undefined)
    throw new NotApplicable('refresh tokens are bound to their clients and not rotated');
  return lab.client('app');
}

const onlyOne = (responses: readonly LabResponse[], member: string): Outcome =>
  count(
    responses.flatMap(({ json }) => (typeof json[member] === 'string' ? [json[member]] : [])),
    responses,
  );

/** Judges how many different values the callers got. A retry that gets the same value is allowed. */
function count(values: readonly string[], responses: readonly LabResponse[]): Outcome {
  const distinct = new Set(values).size;
  if (distinct === 0)
    throw new Inconclusive(`none of ${responses.length} callers succeeded: status ${responses[0]?.status}`);
  const failed = responses.find(({ status }) => status >= 500 && status !== 503);
  if (distinct > 1) return succeeded(`${distinct} of ${responses.length} callers succeeded`, responses[0]);
  if (failed)
    throw new Inconclusive(`the application failed with status ${failed.status} under ${responses.length} callers`);
  return resisted(`1 of ${responses.length} callers succeeded`);
}
