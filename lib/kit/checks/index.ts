import type { Check } from '../contract.js';
import { CLIENT_CHECKS } from './clients.js';
import { ADMINISTERED_CLIENT_CHECKS } from './administered-clients.js';
import { clockChecks, FAMILY_CLOCK_CHECKS } from './clocks.js';
import { EXCHANGED_TOKEN_CHECKS } from './exchanged-tokens.js';
import { FAMILY_CHECKS } from './families.js';
import { FLOW_CHECKS } from './flows.js';
import { GENERATOR_CHECKS } from './generators.js';
import { ACCESS_TOKEN, AUTHORIZATION_CODE, REFRESH_TOKEN } from './token-kinds.js';
import { DEVICE_CHECKS } from './device-codes.js';
import { ISSUER_CHECKS } from './issuers.js';
import { lookupChecks } from './lookup.js';
import { ONCE_CHECKS } from './once.js';
import { PUSHED_REQUEST_CHECKS } from './pushed-requests.js';
import { raceChecks } from './races.js';
import { redeemingChecks } from './redeeming.js';
import { lateRedeemingChecks } from './redeeming-late.js';
import { REGISTERED_CLIENT_CHECKS } from './registered-clients.js';
import { replayChecks } from './replays.js';
import { RETRY_CHECKS } from './retries.js';
import { REVOCATION_CHECKS } from './revoking.js';
import { SESSION_CHECKS } from './sessions.js';
import { SIGNING_KEY_CHECKS } from './signing-keys.js';
import { singleUseChecks } from './single-use.js';
import { USED_CODE_CHECKS } from './used-codes.js';
import { USER_CHECKS } from './users.js';

const SINGLE_USE = [AUTHORIZATION_CODE, REFRESH_TOKEN];

/** All checks of the contract kit. */
export const CHECKS: readonly Check[] = [
  ...CLIENT_CHECKS,
  ...USER_CHECKS,
  ...GENERATOR_CHECKS,
  ...[ACCESS_TOKEN, ...SINGLE_USE].flatMap(lookupChecks),
  ...FLOW_CHECKS,
  ...SINGLE_USE.flatMap(singleUseChecks),
  ...SINGLE_USE.flatMap(raceChecks),
  ...SINGLE_USE.flatMap(clockChecks),
  ...SINGLE_USE.flatMap(redeemingChecks),
  ...RETRY_CHECKS,
  ...SINGLE_USE.flatMap(replayChecks),
  ...USED_CODE_CHECKS,
  ...FAMILY_CHECKS,
  ...SINGLE_USE.flatMap(lateRedeemingChecks),
  ...FAMILY_CLOCK_CHECKS,
  ...ISSUER_CHECKS,
  ...REVOCATION_CHECKS,
  ...PUSHED_REQUEST_CHECKS,
  ...DEVICE_CHECKS,
  ...EXCHANGED_TOKEN_CHECKS,
  ...ADMINISTERED_CLIENT_CHECKS,
  ...REGISTERED_CLIENT_CHECKS,
  ...SIGNING_KEY_CHECKS,
  ...ONCE_CHECKS,
  ...SESSION_CHECKS,
];
