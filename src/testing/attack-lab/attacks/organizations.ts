import type { AttackRuns } from '../attack.js';
import type { Lab } from '../lab.js';
import { NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';
import type { LabResponse } from '../wire.js';

/** Attacks on the organization of a token: the claim `org_id`. RFC 9700 §2.3 */
export const ORGANIZATION_ATTACKS: AttackRuns = {
  async 'organization-other'(lab) {
    const grant = await lab.authorize('web', { organization: otherOf(lab) });
    return grant.code === undefined ? lab.judge(grant.page, false) : isNotFor(lab, await lab.redeem(grant));
  },
  async 'organization-choice'(lab) {
    const { hasChosen, ...grant } = await lab.authorize('web', {}, { organization: otherOf(lab) });
    if (!hasChosen) throw new NotApplicable('no page asks the user to choose an organization');
    return grant.code === undefined ? lab.judge(grant.page, false) : isNotFor(lab, await lab.redeem(grant));
  },
  async 'organization-refresh'(lab) {
    const refresh = await lab.refreshToken();
    const other = otherOf(lab);
    return isNotFor(lab, await lab.refresh('web', refresh, { organization: other, org_id: other }));
  },
  async 'organization-left'(lab) {
    const organizations = lab.options.organizations!;
    const tokens = await lab.tokens('web');
    if ((await lab.stored(tokens.access))['org_id'] === undefined)
      throw new NotApplicable('the tokens of the user are for no organization');
    await organizations.leave();
    try {
      return lab.judge(await lab.refresh('web', lab.refreshTokenOf(tokens)));
    } finally {
      await organizations.rejoin();
    }
  },
};

/** The ID of an organization to which the user does not belong. */
const otherOf = ({ options }: Lab) => options.organizations?.other ?? 'attack-lab-organization';

/** Judges whether a token response is for the organization of other users. */
async function isNotFor(lab: Lab, response: LabResponse): Promise<Outcome> {
  if (response.status >= 400) return lab.judge(response);
  const { org_id: id } = await lab.stored(lab.tokensOf(response).access);
  return id === otherOf(lab)
    ? succeeded(`the token is for the organization ${id}, to which the user does not belong`, response)
    : resisted(`the token is for ${id === undefined ? 'no organization' : `the organization ${String(id)}`}`);
}
