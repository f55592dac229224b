import type { ServerContext } from '../../contracts/feature.js';
import type { TokenFormat } from '../../contracts/token-format.js';
import { requireMethods } from '../../model/require-methods.js';
import { Served } from '../../model/served.js';
import type { Options } from '../../options/settle.js';
import { lifetime } from '../../tokens/lifetime.js';
import type { ScopeOptions } from '../../tokens/scope.js';
import { formatOf } from '../token/format-of.js';

/** What all authorization requests with the same options have in common. */
export class AuthorizationContext {
  readonly format: TokenFormat | undefined;
  /** The options by which the model grants a scope. */
  readonly scopeOptions: ScopeOptions;
  /** Response types whose model methods were verified. */
  readonly served: Served;

  /** @throws {InvalidArgumentError} If the options or the model do not allow authorization requests. */
  constructor(
    readonly options: Options,
    readonly server: ServerContext,
    /** Whether requests are only validated: errors are thrown, and no response is written for the client. */
    readonly isDryRun = false,
  ) {
    this.format = formatOf(server);
    const { model, scopeFormat } = options;
    this.scopeOptions = { model, scopeFormat, ignorableScopes: server.ignorableScopes };
    this.served = new Served(options.model);
    lifetime(options.authorizationCodeLifetime, 'authorizationCodeLifetime');
    requireMethods(options.model, ['getClient']);
  }
}
