import type { ServerContext } from '../../contracts/feature.js';
import { findFlagErrors } from '../../options/flag-errors.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { hasOnce } from '../../model/has-once.js';
import { isObject } from '../../http/is-object.js';
import { OPENID } from '../openid-capability.js';
import { settleSigned, findSignedOptionErrors, type SignedOptions, type SignedSettings } from './signed-options.js';

/** The options of `ciba()`. */
export interface CibaOptions {
  /**
   * Seconds in which the user has to decide and the client has to fetch its tokens. A client may request a shorter
   * time. Default: `300`.
   */
  lifetime?: number;
  /** Minimum number of seconds between two polls of a client. Default: `5`. */
  interval?: number;
  /**
   * Whether clients may send a `user_code`, a secret with which users allow them to send requests. Requires the model
   * method `verifyUserCode()`. Default: `false`.
   */
  userCode?: boolean;
  /** The requirements for requests that clients sign as a whole. CIBA §7.1.1 */
  signed?: SignedOptions;
  /**
   * How the notification endpoints of clients, and the keys at their `jwks_uri`, are reached. Default: at public
   * addresses only.
   */
  fetch?: SafeFetchOptions;
}

/** The options of `ciba()` with their defaults. */
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

/** Yields an error message for each invalid option, and for each reason why `ciba()` cannot work on its server. */
export function* findConfigurationErrors(options: CibaOptions, server: ServerContext): Iterable<string> {
  const unknownOption = findUnknownOption(options, NAMES, FEATURE);
  if (unknownOption !== undefined) yield unknownOption;
  for (const name of ['lifetime', 'interval'] as const) {
    const { [name]: seconds } = options;
    const isValid =
      seconds === undefined || (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SECONDS[name]);
    if (!isValid) yield `\`${name}\` of ${FEATURE} must be a whole number of seconds, from 1 to ${MAX_SECONDS[name]}`;
  }
  yield* findFlagErrors(options, ['userCode'], FEATURE);
  const { signed = {} } = options;
  if (isObject(signed)) yield* findSignedOptionErrors(signed);
  else yield `\`signed\` of ${FEATURE} must be an object`;
  const { model } = server.options;
  if (options.userCode === true && typeof (model as { verifyUserCode?: unknown }).verifyUserCode !== 'function') {
    yield `\`userCode\` of ${FEATURE} requires the model method \`verifyUserCode()\``;
  }
  if (!server.find(OPENID))
    yield `${FEATURE} requires \`openid()\`, which issues the ID tokens. Add it to the \`features\``;
  if (!hasOnce(model))
    yield `${FEATURE} requires a model with a method \`once(digest, seconds)\`. \`EventEmitter.prototype.once\` does not count`;
}
