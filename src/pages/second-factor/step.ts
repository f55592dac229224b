import { type LoginStep, SECOND_FACTOR_STEP } from '../login/steps.js';
import type { Site } from '../site.js';
import { SecondFactorLogin } from './login.js';

/** Returns the step of a login in which the user enters a code. `undefined` if the site has no second factor. */
export function secondFactorStep(site: Site): LoginStep | undefined {
  const factor = SecondFactorLogin.of(site);
  return (
    factor && {
      id: SECOND_FACTOR_STEP,
      endpoint: 'second_factor',
      lifetime: factor.options.lifetime,
      isRequired: (login, pageRequest) => factor.policy.isRequired(login, pageRequest),
      async begin({ user }, pageRequest) {
        if (!factor.canSend) return {};
        const problem = await factor.send(user, pageRequest);
        return problem ? { problem } : { query: { sent: '' } };
      },
    }
  );
}
