import type { AttackRuns } from '../attack.js';
import { codeOf, Inconclusive, type Outcome, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';
import { assertingClient } from './proofs.js';
import { push } from './request-objects.js';

/** Attacks that send one single-use value many times at once. RFC 6749 §10.5 */
export const RACE_ATTACKS: AttackRuns = {
  async 'race-code'(lab) {
    const grant = await lab.grant('web');
    return onlyOne(await lab.race(() => lab.redeem(grant)), 'access_token');
  },
  async 'race-refresh'(lab) {
    const client = await lab.rotatingClient();
    const refresh = await lab.refreshToken(client);
    return onlyOne(await lab.race(() => lab.refresh(client, refresh)), 'refresh_token');
  },
  async 'race-consent'(lab) {
    const { page, form } = await lab.consentPage(await lab.newClient({ more: { consent: 'always' } }));
    const browser = await lab.victim();
    return onlyOneCode(await lab.race(() => browser.submit(page, form, { decision: 'allow' })));
  },
  async 'race-pushed-request'(lab) {
    await lab.grant('web');
    const url = lab.at('authorize', await push(lab));
    const browser = await lab.victim();
    return onlyOneCode(await lab.race(() => browser.open(url)));
  },
  async 'race-assertion'(lab) {
    const { send, key, claims } = await assertingClient(lab);
    const assertion = key.sign(claims());
    return onlyOne(await lab.race(() => send(assertion)), 'access_token');
  },
  async 'race-dpop-proof'(lab) {
    const dpop = lab.proof(lab.urlOf('token'));
    const form = await lab.machineForm();
    return onlyOne(await lab.race(() => lab.post('token', 'machine', form, { dpop })), 'access_token');
  },
};

/** Judges how many callers got another value of a member of the response. */
const onlyOne = (responses: readonly LabResponse[], member: string): Outcome =>
  judgeRace(
    responses.flatMap(({ json }) => (typeof json[member] === 'string' ? [json[member]] : [])),
    responses,
  );

const onlyOneCode = (responses: readonly LabResponse[]): Outcome =>
  judgeRace(
    responses.flatMap((response) => codeOf(response) ?? []),
    responses,
  );

/** Judges how many different values the callers got. A retry that gets the same value is allowed. */
function judgeRace(values: readonly string[], responses: readonly LabResponse[]): Outcome {
  const distinct = new Set(values).size;
  if (distinct === 0)
    throw new Inconclusive(`none of ${responses.length} callers succeeded: status ${responses[0]?.status}`);
  const failed = responses.find(({ status }) => status >= 500 && status !== 503);
  if (distinct > 1) return succeeded(`${distinct} of ${responses.length} callers succeeded`, responses[0]);
  if (failed)
    throw new Inconclusive(`the application failed with status ${failed.status} under ${responses.length} callers`);
  return resisted(`1 of ${responses.length} callers succeeded`);
}
