import type { ServerContext } from '../../contracts/feature.js';
import { findFlagErrors } from '../../options/flag-errors.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { hasOnce } from '../../model/has-once.js';
import { isObject } from '../../http/is-object.js';
import { OPENID } from '../openid-capability.js';
import { settleSigned, findSignedOptionErrors, type SignedOptions, type SignedSettings } from './signed-options.js';

/** What `ciba()` takes. */
export interface CibaOptions {
  /** Seconds in which the user has to decide, and the client to hear of it; a client may ask for less. Default: 300 */
  lifetime?: number;
  /** Seconds between two polls of a client. Default: 5 */
  interval?: number;
  /** May clients bring a code by which users let them ask? The model has `verifyUserCode()` then. Default: false */
  userCode?: boolean;
  /** How requests are that come signed by their clients, as a whole. CIBA §7.1.1 */
  signed?: SignedOptions;
  /** How the notification endpoints of clients, and the keys at their `jwks_uri`, are reached. Default: public addresses alone */
  fetch?: SafeFetchOptions;
}

/** They, with their defaults. */
export interface CibaSettings extends Required<Omit<CibaOptions, 'signed' | 'fetch'>> {
  signed: SignedSettings;
  fetch: SafeFetchOptions | undefined;
}

export const settle = ({
  lifetime = 300,
  interval = 5,
  userCode = false,
  signed,
  fetch,
}: CibaOptions): CibaSettings => ({
  lifetime,
  interval,
  userCode,
  signed: settleSigned(signed ?? {}),
  fetch,
});

const FEATURE = '`ciba()`';
const NAMES = { lifetime: true, interval: true, userCode: true, signed: true, fetch: true } as const;
const MAX_SECONDS = { lifetime: 86_400, interval: 60 } as const;

/** What is wrong with how a host has set it up, as sentences. */
export function* findConfigurationErrors(options: CibaOptions, server: ServerContext): Iterable<string> {
  const misspelt = findUnknownOption(options, NAMES, FEATURE);
  if (misspelt !== undefined) yield misspelt;
  for (const name of ['lifetime', 'interval'] as const) {
    const { [name]: seconds } = options;
    const isGood = seconds === undefined || (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SECONDS[name]);
    if (!isGood) yield `\`${name}\` of ${FEATURE} is a whole number of seconds, from 1 to ${MAX_SECONDS[name]}`;
  }
  yield* findFlagErrors(options, ['userCode'], FEATURE);
  const { signed = {} } = options;
  if (isObject(signed)) yield* findSignedOptionErrors(signed);
  else yield `\`signed\` of ${FEATURE} must be an object`;
  const { model } = server.options;
  if (options.userCode === true && typeof (model as { verifyUserCode?: unknown }).verifyUserCode !== 'function') {
    yield `\`userCode\` of ${FEATURE} needs the model method \`verifyUserCode()\``;
  }
  if (!server.find(OPENID)) yield `${FEATURE} gives out ID tokens: list \`openid()\` among the \`features\``;
  if (!hasOnce(model)) yield `${FEATURE} needs a model that implements \`once()\`: that of an event emitter is another`;
}
