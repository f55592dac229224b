import { TestingModel, type TestingModelOptions } from '../../lib/kit/index.js';
import type { OAuth2Registration, OAuth2Settings } from '../interfaces/oauth2-module-options.interface.js';

/** What `OAuth2TestingModule.forTest()` takes. */
export interface OAuth2TestingOptions extends TestingModelOptions, OAuth2Settings, Omit<OAuth2Registration, 'model'> {}

/** `OAuth2Module` for tests: with a model in memory, so that `OAuthGuard` works without a database. */
export class OAuth2TestingModule {
  /**
   * `imports: [OAuth2TestingModule.forTest()]`; then `actingAs(app, user, scopes)`. Visible to every module by default.
   * @param options clients and users that are there from the start, and options of `OAuth2Module.forRoot()`
   */
  static async forTest({ clients, users, ...options }: OAuth2TestingOptions = {}) {
    // Loaded when it is asked for: who proves a model without Nest must not need Nest.
    const { OAuth2Module } = await import('../oauth2.module.js');
    return OAuth2Module.forRoot({ isGlobal: true, ...options, model: new TestingModel({ clients, users }) });
  }
}
