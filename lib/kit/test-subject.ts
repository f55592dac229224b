import type { FeatureModel } from './feature-model.js';
import type { Awaitable, Model, User } from '../model/model.js';
import type { EngineOptions } from '../options/options.js';

/** A client that the model knows. A client without a `secret` is public. */
export interface ClientFixture {
  id: string;
  secret?: string;
}

/**
 * A user that the model knows. `username` and `password` are passed to `getUser()`. For a model without `getUser()`,
 * the other properties are the signed-in user.
 */
export type UserFixture = User & { username?: string; password?: string };

/** The client, user and other data that the model under test has from the start. */
export interface ContractFixtures {
  /** A client with every grant type to check, preferably confidential and with a redirect URI. */
  client?: ClientFixture;
  /** A second client. If omitted, checks use a copy of the first one with another ID, or are skipped. */
  otherClient?: ClientFixture;
  user?: UserFixture;
  /** Scope values that `client` may request. If omitted, the checks request no scope. */
  scopes?: readonly string[];
  /** Options of the application's server, such as `scopeFormat` or `extendedGrantTypes`. */
  server?: EngineOptions;
}

/** A model with any of the methods that the contract kit checks. */
export type ModelUnderTest = Partial<Model & FeatureModel>;

/** A model with its fixtures, and a function that closes its resources. */
export interface TestSubject extends ContractFixtures {
  model: ModelUnderTest;
  cleanUp?(): Awaitable<unknown>;
}

/** Returns a new model under test, or a test subject. Called once for each check. */
export type MakeModel = () => Awaitable<ModelUnderTest | TestSubject>;

/** The options of `checkModel()`. */
export interface ContractOptions extends ContractFixtures {
  /** Number of concurrent calls in a check of concurrent calls. Default: `200`. */
  parallel?: number;
}

/** The error of fixtures that do not fit the model. The message says what to change. */
export class FixtureError extends Error {}
