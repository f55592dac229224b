import type { ServerContext } from '../../contracts/feature.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import {
  type ClientPolicyOptions,
  POLICY_OPTIONS,
  findPolicyErrors,
} from '../../clients/registration/client-policy.js';
import { findScopesError } from '../../options/scopes-error.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import type { RegistrationRate } from './registration-limit.js';
import type { RegistrationModel } from './registration-model.js';

/** Who may register which clients. */
export interface RegistrationOptions extends ClientPolicyOptions {
  /** May everybody register, who brings nothing? Default: false. RFC 7591 §3, App. A.1.1 */
  open?: boolean;
  /** The scope of the access tokens by which clients may be registered: initial access tokens. RFC 7591 §1.2, App. A.1.2 */
  initialAccessScope?: string;
  /**
   * How many may be registered from one address, or by one initial access token; of IPv6, one network. `false`: something
   * before this server counts. Default: 20 in 3600 seconds
   */
  rate?: RegistrationRate | false;
  /** Seconds after which a client is forgotten that was never given anything; 0: never. Default: 86 400 */
  unusedLifetime?: number;
}

/** Those of a feature, with their defaults. */
export const registrationSettings = ({
  rate = RATE,
  unusedLifetime = 86_400,
  open = false,
  ...more
}: RegistrationOptions) => ({
  ...more,
  open,
  rate,
  unusedLifetime,
});

const RATE: RegistrationRate = { requests: 20, per: 3600 };

const NAMES = {
  ...POLICY_OPTIONS,
  open: true,
  initialAccessScope: true,
  rate: true,
  unusedLifetime: true,
} as const;

const NAME = '`registration()`';

/** What is wrong with how a host has set it up, as sentences. */
export function* registrationErrors(options: RegistrationOptions, server: ServerContext): Iterable<string> {
  const { open, initialAccessScope, rate, unusedLifetime } = registrationSettings(options);
  const misspelt = findUnknownOption(options, NAMES, NAME);
  if (misspelt !== undefined) yield misspelt;
  const model = server.options.model as Model & Partial<RegistrationModel>;
  if (server.options.issuer === undefined) {
    yield `${NAME} needs the option \`issuer\`: clients are told where they manage their registrations`;
  }
  if (!open && initialAccessScope === undefined && !model.mayRegister) {
    yield `who may register? ${NAME} takes \`open: true\`, an \`initialAccessScope\`, or a model that implements \`mayRegister()\``;
  }
  if (model.canRegister?.() === false) {
    yield `${NAME} keeps clients in the store, which was given the \`clients\` of the host: leave these out, or implement \`saveRegistration()\` and what goes with it`;
  }
  if (initialAccessScope !== undefined) {
    const fault = findScopesError([initialAccessScope], NAME);
    if (open)
      yield `\`initialAccessScope\` of ${NAME} says that tokens are needed, and \`open\` that they are not: leave one out`;
    if (fault !== undefined) yield fault.replace('scopes', 'initialAccessScope');
    if (!model.getAccessToken)
      yield `\`initialAccessScope\` of ${NAME} needs a model that implements \`getAccessToken()\``;
  }
  if (rate !== false) {
    const isRate = isCount(rate?.requests, 10_000) && isCount(rate?.per, 86_400);
    if (!isRate)
      yield `\`rate\` of ${NAME} is \`{ requests, per }\`: how many, up to 10 000, in how many seconds, up to 86 400`;
    if (!hasOnce(model))
      yield `${NAME} counts by the model's \`once()\`; without it, say \`rate: false\` and count at your proxy`;
  }
  if (!(unusedLifetime >= 0 && unusedLifetime < 2 ** 31)) yield `\`unusedLifetime\` of ${NAME} is a number of seconds`;
  yield* findPolicyErrors(options, server, NAME);
}

const isCount = (value: unknown, max: number) =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= max;
