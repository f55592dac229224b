import type { ServerContext } from '../../contracts/feature.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { type ClientPolicyOptions, POLICY_OPTIONS, policyFaults } from '../../clients/registration/client-policy.js';
import { scopesFault } from '../../options/scopes-fault.js';
import { unknownOption } from '../../options/unknown-option.js';
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
export const settleRegistration = ({
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

const PLACE = '`registration()`';

/** What is wrong with how a host has set it up, as sentences. */
export function* registrationFaults(options: RegistrationOptions, server: ServerContext): Iterable<string> {
  const { open, initialAccessScope, rate, unusedLifetime } = settleRegistration(options);
  const misspelt = unknownOption(options, NAMES, PLACE);
  if (misspelt !== undefined) yield misspelt;
  const model = server.options.model as Model & Partial<RegistrationModel>;
  if (server.options.issuer === undefined) {
    yield `${PLACE} needs the option \`issuer\`: clients are told where they manage their registrations`;
  }
  if (!open && initialAccessScope === undefined && !model.mayRegister) {
    yield `who may register? ${PLACE} takes \`open: true\`, an \`initialAccessScope\`, or a model that implements \`mayRegister()\``;
  }
  if (model.canRegister?.() === false) {
    yield `${PLACE} keeps clients in the store, which was given the \`clients\` of the host: leave these out, or implement \`saveRegistration()\` and what goes with it`;
  }
  if (initialAccessScope !== undefined) {
    const fault = scopesFault([initialAccessScope], PLACE);
    if (open)
      yield `\`initialAccessScope\` of ${PLACE} says that tokens are needed, and \`open\` that they are not: leave one out`;
    if (fault !== undefined) yield fault.replace('scopes', 'initialAccessScope');
    if (!model.getAccessToken)
      yield `\`initialAccessScope\` of ${PLACE} needs a model that implements \`getAccessToken()\``;
  }
  if (rate !== false) {
    const isRate = isCount(rate?.requests, 10_000) && isCount(rate?.per, 86_400);
    if (!isRate)
      yield `\`rate\` of ${PLACE} is \`{ requests, per }\`: how many, up to 10 000, in how many seconds, up to 86 400`;
    if (!hasOnce(model))
      yield `${PLACE} counts by the model's \`once()\`; without it, say \`rate: false\` and count at your proxy`;
  }
  if (!(unusedLifetime >= 0 && unusedLifetime < 2 ** 31)) yield `\`unusedLifetime\` of ${PLACE} is a number of seconds`;
  yield* policyFaults(options, server, PLACE);
}

const isCount = (value: unknown, most: number) =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= most;
