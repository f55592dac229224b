import { it } from '@jest/globals';

import { CHECKS } from '../../lib/kit/checks/index.js';

const RACES = new Set(CHECKS.filter(({ race }) => race).map(({ name }) => name));

const register = (...[title, ...rest]: Parameters<typeof it>) => {
  // oxlint-disable-next-line jest/valid-title, jest/expect-expect -- The kit passes its checks.
  if (RACES.has(String(title))) it(title, ...rest);
};

/** Registers only the checks of the model contract with concurrent calls. */
export const onlyRaces: typeof it = Object.assign(register, it);
