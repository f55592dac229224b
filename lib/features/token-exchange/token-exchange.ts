import type { Feature, ServerFacts } from '../../feature.js';
import type { GrantTypeOptions } from '../../grants/grant-type.js';
import type { Model } from '../../model/model.js';
import { isResource } from '../../tokens/audience.js';
import { unknownOption } from '../unknown-option.js';
import { TokenExchangeGrantType } from './exchange-grant.js';
import type { TokenExchangeModel } from './exchange-model.js';
import { ACCESS_TOKEN } from './token-types.js';

/** What `tokenExchange()` takes. */
export interface TokenExchangeOptions {
  /** What clients may call resources by `audience`: the URI of each, by its name. Default: none. RFC 8693 §2.1 */
  audiences?: Readonly<Record<string, string>>;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

/**
 * Clients exchange a token for another: with less in it, or one that says who acts for its user. Tokens are kept with `act`, who acts,
 * and say so to introspection. RFC 8693
 */
export function tokenExchange(options: TokenExchangeOptions = {}): Feature {
  const audiences = new Map(Object.entries(options.audiences ?? {}));
  // By model: a grant does not know its server, and servers may share the feature.
  const targeting = new WeakMap<Model, boolean>();

  class Grant extends TokenExchangeGrantType {
    protected override readonly audiences = audiences;
    protected override readonly isTargeting: boolean;

    constructor(given: GrantTypeOptions) {
      super(given);
      this.isTargeting = targeting.get(given.model) ?? false;
    }
  }

  return {
    name: 'RFC 8693',
    grants: { [GRANT]: Grant },
    parameters: PARAMETERS,

    check(server) {
      targeting.set(server.options.model, hasTargets(server));
      return [...faultsOf(options, server)];
    },

    issue({ exchanged, token, options: { model } }) {
      if (exchanged?.act) token['act'] = exchanged.act;
      // Where nobody else sees to it that what is for something stays so.
      if (exchanged?.granted.length && !targeting.get(model)) token['resource'] = exchanged.granted;
    },

    respond({ exchanged, answer }) {
      if (exchanged) answer['issued_token_type'] = ACCESS_TOKEN;
    },

    describe: ({ act, may_act }) => ({ ...objectOf({ act }), ...objectOf({ may_act }) }),
  };
}

/** What is no object names nobody. */
const objectOf = (claim: Record<string, unknown>): object =>
  Object.values(claim).every((value) => typeof value === 'object' && value !== null) ? claim : {};

const hasTargets = ({ features }: ServerFacts) => features.some(({ name }) => name === 'RFC 8707');

function* faultsOf({ ...options }: TokenExchangeOptions, server: ServerFacts): Iterable<string> {
  const misspelt = unknownOption(options, { audiences: true }, '`tokenExchange()`');
  if (misspelt !== undefined) yield misspelt;
  const { audiences = {} } = options;
  const odd = Object.entries(audiences).find(([, uri]) => typeof uri !== 'string' || !isResource(uri));
  if (odd) yield `the audience \`${odd[0]}\` of \`tokenExchange()\` must be an absolute URI without fragment`;
  if (Object.keys(audiences).length > 0 && !hasTargets(server)) {
    yield '`audiences` of `tokenExchange()` needs the feature `resourceIndicators()`, which binds tokens to resources';
  }
  const model: Model & TokenExchangeModel = server.options.model;
  if (!model.getAccessToken && !model.getRefreshToken && !model.verifyForeignToken) {
    yield '`tokenExchange()` needs a model that finds tokens: `getAccessToken()`, `getRefreshToken()` or `verifyForeignToken()`';
  }
  if (model.verifyForeignToken && !model.mayExchange) {
    yield 'a model that implements `verifyForeignToken()` must implement `mayExchange()` too, which says who may exchange what';
  }
}

/** RFC 8693 §2.1 */
const PARAMETERS = {
  token: {
    subject_token: 'The token of the one whom the new one is for.',
    subject_token_type: 'Of which kind it is.',
    actor_token: 'The token of the one who acts.',
    actor_token_type: 'Of which kind that is.',
    requested_token_type: 'Which kind is asked for.',
  },
};
