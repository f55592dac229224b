import type { ServerContext } from '../../contracts/feature.js';
import type { Model } from '../../model/model.js';
import {
  type ClientPolicyOptions,
  POLICY_OPTIONS,
  findPolicyErrors,
} from '../../clients/registration/client-policy.js';
import { findScopesError } from '../../options/scopes-error.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { ANY, FLAG, rateOf, SECONDS_FROM_0 } from '../../options/value-checks.js';
import type { RequestRate } from '../../limits/memory-counts.js';
import type { RegistrationModel } from './registration-model.js';

/** The options of `registration()`: who may register which clients. */
export interface RegistrationOptions extends ClientPolicyOptions {
  /** Whether clients may register without an initial access token. Default: `false`. RFC 7591 §3, App. A.1.1 */
  open?: boolean;
  /**
   * The scope that an initial access token must have to register a client. If omitted, no initial access token is
   * required. RFC 7591 §1.2, App. A.1.2
   */
  initialAccessScope?: string;
  /**
   * How many clients may register from one network (an IPv4 address or an IPv6 /64), or with one initial access token:
   * `requests` in `per` seconds. `false`: no limit, for example because a proxy limits requests. Default:
   * `{ requests: 20, per: 3600 }`.
   */
  rate?: RequestRate | false;
  /** Seconds after which an unused client, to which nothing was issued, is deleted. `0`: never. Default: `86400`. */
  unusedLifetime?: number;
}

const NAME = '`registration()`';

const OPTIONS = optionTable(NAME, {
  ...POLICY_OPTIONS,
  open: { check: FLAG, default: false },
  initialAccessScope: { check: ANY },
  rate: { check: rateOf(10_000, 'up to 10 000 requests'), default: { requests: 20, per: 3600 } },
  unusedLifetime: { check: SECONDS_FROM_0, default: 86_400 },
} satisfies OptionRows<RegistrationOptions>);

/** Returns the options of `registration()`, with their defaults. */
export const registrationSettings = (options: RegistrationOptions) => OPTIONS.settle(options);

/** Yields the configuration errors of `registration()`. */
export function* registrationErrors(options: RegistrationOptions, server: ServerContext): Iterable<string> {
  const { open, initialAccessScope } = OPTIONS.settle(options);
  yield* OPTIONS.findErrors(options);
  const model = server.options.model as Model & Partial<RegistrationModel>;
  if (server.options.issuer === undefined) {
    yield `${NAME} requires the option \`issuer\`: responses contain the URL at which clients manage their registrations`;
  }
  if (!open && initialAccessScope === undefined && !model.mayRegister) {
    yield `${NAME} must know who may register: set \`open: true\` or \`initialAccessScope\`, or implement \`mayRegister()\` in the model`;
  }
  if (model.canRegister?.() === false) {
    yield `${NAME} cannot save clients, because the store has the option \`clients\`: remove that option, or override \`saveRegistration()\` and the other methods of \`RegistrationModel\``;
  }
  if (initialAccessScope !== undefined) {
    const scopeError = findScopesError([initialAccessScope], NAME);
    if (open) yield `\`initialAccessScope\` and \`open\` of ${NAME} contradict each other: remove one of them`;
    if (scopeError !== undefined) yield scopeError.replace('scopes', 'initialAccessScope');
    if (!model.getAccessToken) yield `\`initialAccessScope\` of ${NAME} requires a model with \`getAccessToken()\``;
  }
  yield* findPolicyErrors(options, server, NAME);
}
