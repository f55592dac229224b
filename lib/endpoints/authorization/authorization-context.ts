import type { ServerContext } from '../../contracts/feature.js';
import type { TokenFormat } from '../../contracts/token-format.js';
import { requireMethods } from '../../model/require-methods.js';
import type { Options } from '../../options/resolve-options.js';
import { lifetime } from '../../tokens/lifetime.js';
import type { ScopeOptions } from '../../tokens/scope.js';

/** The options and derived settings that all authorization requests with the same options share. */
export class AuthorizationContext {
  readonly format: TokenFormat | undefined;
  /** The options for asking the model which part of a requested scope it grants. */
  readonly scopeOptions: ScopeOptions;
  /** Response types whose required methods the model is known to have. */
  private readonly verifiedResponseTypes = new Set<object>();

  /** @throws {InvalidArgumentError} If the options or the model do not allow authorization requests. */
  constructor(
    readonly options: Options,
    readonly server: ServerContext,
    /**
     * Whether requests are only validated, as for a pushed request. Errors are thrown, but not written to the response.
     */
    readonly isDryRun = false,
  ) {
    this.format = server.hooks.token.format[0];
    const { model, scopeFormat } = options;
    this.scopeOptions = {
      model,
      scopeFormat,
      ignorableScopes: server.ignorableScopes,
      defaultScope: server.defaultScope,
    };
    lifetime(options.authorizationCodeLifetime, 'authorizationCodeLifetime');
    requireMethods(options.model, ['getClient']);
  }

  /**
   * Verifies that the model has the methods that a response type requires. A response type that passed is not verified
   * again.
   * @throws {InvalidArgumentError} If the model lacks a method.
   */
  verifyModel(responseType: { readonly requires: readonly string[] }): void {
    if (this.verifiedResponseTypes.has(responseType)) return;
    requireMethods(this.options.model, responseType.requires);
    this.verifiedResponseTypes.add(responseType);
  }
}
