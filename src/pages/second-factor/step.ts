import { type LoginStep, SECOND_FACTOR_STEP } from '../login/steps.js';
import type { Site } from '../site.js';
import { SecondFactorLogin } from './login.js';

/** Returns the step of a login in which the user enters a code. */
export const secondFactorStep = (siteOf: () => Site, lifetime: number): LoginStep => {
  const secondFactor = () => SecondFactorLogin.of(siteOf())!;
  return {
    id: SECOND_FACTOR_STEP,
    endpoint: 'second_factor',
    lifetime,
    isRequired: (login, pageRequest) => secondFactor().policy.isRequired(login, pageRequest),
    async begin({ user }, pageRequest) {
      const factor = secondFactor();
      if (!factor.canSend) return {};
      const problem = await factor.send(user, pageRequest);
      return problem ? { problem } : { query: { sent: '' } };
    },
  };
};
