import type { FeatureModel } from './feature-model.js';
import type { Awaitable, Model, User } from '../model/model.js';
import type { EngineOptions } from '../options/options.js';

/** A client that the model under test finds from the start. A client without a `secret` is public. */
export interface ClientFixture {
  id: string;
  secret?: string;
}

/**
 * A user that the model under test finds from the start. `username` and `password` are passed to `getUser()`. If the
 * model has no `getUser()`, tokens are saved for this user, without the password.
 */
export type UserFixture = User & { username?: string; password?: string };

/**
 * The fixtures of the contract checks: the client, the user and other data that the model under test has from the
 * start.
 */
export interface ContractFixtures {
  /**
   * A client with every grant type to check, preferably confidential and with a redirect URI. If omitted, most checks
   * fail.
   */
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

/** A model under test with its fixtures. `cleanUp()` closes the resources of the model after each check. */
export interface TestSubject extends ContractFixtures {
  model: ModelUnderTest;
  cleanUp?(): Awaitable<unknown>;
}

/** A function that returns a new model to test, with or without fixtures. It is called once for each check. */
export type MakeModel = () => Awaitable<ModelUnderTest | TestSubject>;

/** The options of `checkModel()`: the fixtures of the checks, and the number of concurrent calls. */
export interface ContractOptions extends ContractFixtures {
  /** Number of calls that a check of concurrent calls starts at the same time. Default: `200`. */
  parallel?: number;
}

/** The error of a check whose fixtures are missing or do not fit the model. The message says what to change. */
export class FixtureError extends Error {}
