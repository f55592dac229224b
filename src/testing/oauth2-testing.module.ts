import { TestingModel, type TestingModelOptions } from '../../lib/kit/index.js';
import type { OAuth2Registration, OAuth2Settings } from '../interfaces/oauth2-module-options.interface.js';

/** The options of `OAuth2TestingModule.forTest()`. */
export interface OAuth2TestingOptions extends TestingModelOptions, OAuth2Settings, Omit<OAuth2Registration, 'model'> {}

/** An `OAuth2Module` for tests. Its model is in memory, so that `OAuthGuard` works without a database. */
export class OAuth2TestingModule {
  /**
   * Returns the module: `imports: [OAuth2TestingModule.forTest()]`. Then authenticate requests with
   * `actingAs(app, user, scopes)`. By default it is global.
   * @param options the initial clients and users, and options of `OAuth2Module.forRoot()`
   */
  static async forTest({ clients, users, ...options }: OAuth2TestingOptions = {}) {
    // Loaded lazily, so that the contract kit for models works without Nest.
    const { OAuth2Module } = await import('../oauth2.module.js');
    return OAuth2Module.forRoot({ isGlobal: true, ...options, model: new TestingModel({ clients, users }) });
  }
}
