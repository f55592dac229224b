import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { TokenHooks } from '../../contracts/hooks.js';
import { ISSUED_TOKEN_TYPE } from '../../contracts/token-request.js';
import type { Model } from '../../model/model.js';
import { isResource } from '../../tokens/audience.js';
import { issuesForResources, KNOWN_RESOURCES } from '../resource-indicators/requested-resources.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { EXCHANGED_TOKEN, type ExchangeContext, exchangeGrant } from './exchange-grant.js';
import type { TokenExchangeModel } from './exchange-model.js';
import { combineTokens, OTHER_TOKENS } from './other-tokens.js';
import { ACCESS_TOKEN } from './token-types.js';

/** What `tokenExchange()` takes. */
export interface TokenExchangeOptions {
  /** What clients may call resources by `audience`: the URI of each, by its name. Default: none. RFC 8693 §2.1 */
  audiences?: Readonly<Record<string, string>>;
}

export const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

/**
 * Clients exchange a token for another: with less in it, or one that says who acts for its user. Tokens are kept with `act`, who acts,
 * and say so to introspection. RFC 8693
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
      const others = builder.all(OTHER_TOKENS);
      let context: ExchangeContext | undefined;
      const contextOf = () =>
        (context ??= {
          audiences,
          issuesForResources: resources() !== undefined,
          otherTokens: combineTokens(others()),
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

/** What is no object names nobody. */
const objectOf = (claim: Record<string, unknown>): object =>
  Object.values(claim).every((value) => typeof value === 'object' && value !== null) ? claim : {};

function* configurationErrors({ ...options }: TokenExchangeOptions, server: ServerContext): Iterable<string> {
  const misspelt = findUnknownOption(options, { audiences: true }, '`tokenExchange()`');
  if (misspelt !== undefined) yield misspelt;
  const { audiences = {} } = options;
  const odd = Object.entries(audiences).find(([, uri]) => typeof uri !== 'string' || !isResource(uri));
  if (odd) yield `the audience \`${odd[0]}\` of \`tokenExchange()\` must be an absolute URI without fragment`;
  if (Object.keys(audiences).length > 0 && !issuesForResources(server)) {
    yield '`audiences` of `tokenExchange()` needs the feature `resourceIndicators()`, which binds tokens to resources';
  }
  const model: Model & TokenExchangeModel = server.options.model;
  const { canRead: isReading } = combineTokens(server.all(OTHER_TOKENS));
  if (!model.getAccessToken && !model.getRefreshToken && !model.verifyForeignToken && !isReading) {
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
