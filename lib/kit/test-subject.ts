import type { FeatureModel } from './feature-model.js';
import type { Awaitable, Model, User } from '../model/model.js';
import type { EngineOptions } from '../options/options.js';

/** A client that the model knows. One without a `secret` is public. */
export interface ClientFixture {
  id: string;
  secret?: string;
}

/** Signs in at the model's `getUser()`; a model without that method is given the rest of it as the signed-in user. */
export type UserFixture = User & { username?: string; password?: string };

/** What the model under test knows already. */
export interface ContractFixtures {
  /** A client with every grant that is to be proven: best a confidential one, with a redirect URI. */
  client?: ClientFixture;
  /** A second client; left out: one is made up where that is enough. */
  otherClient?: ClientFixture;
  user?: UserFixture;
  /** Scope values that `client` may have; left out: no scope is requested. */
  scopes?: readonly string[];
  /** Options that the host gives its server, such as `scopeFormat` or `extendedGrantTypes`. */
  server?: EngineOptions;
}

/** A model as far as it goes: for the classic interface, and for features. */
export type ModelUnderTest = Partial<Model & FeatureModel>;

/** A model with what it knows, and what must be closed after it. */
export interface TestSubject extends ContractFixtures {
  model: ModelUnderTest;
  cleanUp?(): Awaitable<unknown>;
}

/** Makes the model under test, or a subject: once for every check. */
export type MakeModel = () => Awaitable<ModelUnderTest | TestSubject>;

/** Options of `checkModel()`. */
export interface ContractOptions extends ContractFixtures {
  /** How many callers race for the same thing. Default: 200 */
  parallel?: number;
}

/** What the host has to give the kit before it can tell anything. */
export class FixtureError extends Error {}
