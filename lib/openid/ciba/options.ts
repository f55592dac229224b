import type { ServerContext } from '../../contracts/feature.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { acceptsOptions, FETCH, FLAG, wholeSecondsFrom } from '../../options/value-checks.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { hasOnce } from '../../model/has-once.js';
import { OPENID } from '../openid-capability.js';
import { SIGNED_OPTIONS, type SignedOptions, type SignedSettings } from './signed-options.js';

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

const FEATURE = '`ciba()`';

/** The options of `ciba()`: validation and defaults. */
const CIBA_OPTIONS = optionTable(FEATURE, {
  lifetime: { check: wholeSecondsFrom(1, 86_400), default: 300 },
  interval: { check: wholeSecondsFrom(1, 60), default: 5 },
  userCode: { check: FLAG, default: false },
  signed: { check: acceptsOptions<SignedOptions>(SIGNED_OPTIONS) },
  fetch: { check: FETCH },
} satisfies OptionRows<CibaOptions>);

/** The options of `ciba()` with their defaults. */
export interface CibaSettings extends Required<Omit<CibaOptions, 'signed' | 'fetch'>> {
  signed: SignedSettings;
  fetch: SafeFetchOptions | undefined;
}

/** Returns the options of `ciba()` with their defaults. */
export const settle = (options: CibaOptions): CibaSettings => {
  const { fetch, signed = {}, ...settings } = CIBA_OPTIONS.settle(options);
  return { ...settings, fetch, signed: SIGNED_OPTIONS.settle(signed) };
};

/** Yields an error message for each invalid option, and for each reason why `ciba()` cannot work on its server. */
export function* findConfigurationErrors(options: CibaOptions, server: ServerContext): Iterable<string> {
  yield* CIBA_OPTIONS.findErrors(options);
  const { model } = server.options;
  if (options.userCode === true && typeof (model as { verifyUserCode?: unknown }).verifyUserCode !== 'function') {
    yield `\`userCode\` of ${FEATURE} requires the model method \`verifyUserCode()\``;
  }
  if (!server.find(OPENID))
    yield `${FEATURE} requires \`openid()\`, which issues the ID tokens. Add it to the \`features\``;
  if (!hasOnce(model))
    yield `${FEATURE} requires a model with a method \`once(digest, seconds)\`. \`EventEmitter.prototype.once\` does not count`;
}
