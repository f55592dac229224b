import { CIBA_PLANS } from './ciba.js';
import { FAPI2_PLANS } from './fapi2.js';
import { OPENID_PLANS } from './openid.js';
import type { ConformancePlan } from './plan.js';
import { RELYING_PARTY_PLANS } from './relying-party.js';

/** The plans for servers, in the order in which they run. */
export const PLANS: readonly ConformancePlan[] = [...FAPI2_PLANS, ...OPENID_PLANS, ...CIBA_PLANS];

/** All plans, in the order in which they run. */
export const ALL_PLANS: readonly ConformancePlan[] = [...PLANS, ...RELYING_PARTY_PLANS];
