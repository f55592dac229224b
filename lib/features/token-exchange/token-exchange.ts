import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { TokenHooks } from '../../contracts/hooks.js';
import { ISSUED_TOKEN_TYPE } from '../../contracts/token-request.js';
import type { Model } from '../../model/model.js';
import { isResource } from '../../tokens/audience.js';
import { issuesForResources, KNOWN_RESOURCES } from '../resource-indicators/requested-resources.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { ANY } from '../../options/value-checks.js';
import { EXCHANGED_TOKEN, type ExchangeContext, exchangeGrant } from './exchange-grant.js';
import type { TokenExchangeModel } from './exchange-model.js';
import { combineTokens, OTHER_TOKENS } from './other-tokens.js';
import { ACCESS_TOKEN } from './token-types.js';

/** The options of `tokenExchange()`. */
export interface TokenExchangeOptions {
  /** The names that clients may send as `audience`, each with the URI of its resource. Default: none. RFC 8693 §2.1 */
  audiences?: Readonly<Record<string, string>>;
}

export const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

/**
 * Adds the token exchange grant: a client exchanges a token for another one, with fewer rights or for an actor. Tokens
 * are saved with `act`, which introspection returns. RFC 8693
 */
export function tokenExchange(options: TokenExchangeOptions = {}): Feature {
  const audiences = new Map(Object.entries(options.audiences ?? {}));
  return {
    id: 'tokenExchange',
    specification: 'RFC 8693',
    grantTypes: [EXCHANGE_GRANT],
    parameters: PARAMETERS,

    install(builder) {
      const resources = builder.find(KNOWN_RESOURCES);
      const otherTokens = builder.all(OTHER_TOKENS);
      let context: ExchangeContext | undefined;
      const contextOf = () =>
        (context ??= {
          audiences,
          issuesForResources: resources() !== undefined,
          otherTokens: combineTokens(otherTokens()),
        });
      return {
        grants: { [EXCHANGE_GRANT]: exchangeGrant(contextOf) },
        token: HOOKS,
        misconfigurations: (server) => configurationErrors(options, server),
      };
    },
  };
}

const HOOKS: TokenHooks = {
  issue(request) {
    const { act, resource = [] } = request.get(EXCHANGED_TOKEN) ?? {};
    if (act) request.tokenMembers['act'] = act;
    if (resource.length > 0) request.tokenMembers['resource'] = resource;
  },

  respond(request) {
    if (!request.get(EXCHANGED_TOKEN)) return;
    request.responseMembers['issued_token_type'] = request.get(ISSUED_TOKEN_TYPE) ?? ACCESS_TOKEN;
  },

  describe: ({ act, may_act }) => ({ ...objectOf({ act }), ...objectOf({ may_act }) }),
};

/** Returns the claim if it is an object, otherwise an empty object. */
const objectOf = (claim: Record<string, unknown>): object =>
  Object.values(claim).every((value) => typeof value === 'object' && value !== null) ? claim : {};

const OPTIONS = optionTable('`tokenExchange()`', {
  audiences: { check: ANY },
} satisfies OptionRows<TokenExchangeOptions>);

function* configurationErrors({ ...options }: TokenExchangeOptions, server: ServerContext): Iterable<string> {
  yield* OPTIONS.findErrors(options);
  const { audiences = {} } = options;
  const invalid = Object.entries(audiences).find(([, uri]) => typeof uri !== 'string' || !isResource(uri));
  if (invalid)
    yield `the value of the audience \`${invalid[0]}\` in \`audiences\` of \`tokenExchange()\` must be an absolute URI without fragment`;
  if (Object.keys(audiences).length > 0 && !issuesForResources(server)) {
    yield '`audiences` of `tokenExchange()` requires the feature `resourceIndicators()`, which binds tokens to resources';
  }
  const model: Model & TokenExchangeModel = server.options.model;
  const { canRead } = combineTokens(server.all(OTHER_TOKENS));
  if (!model.getAccessToken && !model.getRefreshToken && !model.verifyForeignToken && !canRead) {
    yield '`tokenExchange()` requires a model that can find tokens: implement `getAccessToken()`, `getRefreshToken()` or `verifyForeignToken()`';
  }
  if (model.verifyForeignToken && !model.mayExchange) {
    yield 'a model with `verifyForeignToken()` must also implement `mayExchange()`, which decides who may exchange which token';
  }
}

/** Descriptions of the parameters of a token exchange, for API descriptions. RFC 8693 §2.1 */
const PARAMETERS = {
  token: {
    subject_token: 'The subject token: the token of the user that the new token represents.',
    subject_token_type: 'The type of the subject token.',
    actor_token: 'The actor token: the token of the party that acts for the user.',
    actor_token_type: 'The type of the actor token.',
    requested_token_type: 'The type of the requested token.',
  },
};
