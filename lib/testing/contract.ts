import type { Awaitable, Model, ModelMethod, User } from '../model/model.js';
import type { OAuth2ServerOptions } from '../options.js';
import type { Bench } from './bench.js';

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
  server?: Omit<OAuth2ServerOptions, 'model'>;
}

/** A model with what it knows, and what must be closed after it. */
export interface Subject extends ContractFixtures {
  model: Partial<Model>;
  cleanUp?(): Awaitable<unknown>;
}

/** Makes the model under test, or a subject: once for every check. */
export type MakeModel = () => Awaitable<Partial<Model> | Subject>;

/** Options of `checkModel()`. */
export interface ContractOptions extends ContractFixtures {
  /** How many callers race for the same thing. Default: 200 */
  parallel?: number;
}

/** The parts of a model that are proven apart. */
export const FEATURES = [
  'client authentication',
  'access tokens',
  'authorization codes',
  'refresh tokens',
  'token families',
  'passwords',
  'client credentials',
] as const;

export type Feature = (typeof FEATURES)[number];

/** One obligation of a model. */
export interface Check {
  /** A sentence, its subject being the model. */
  name: string;
  feature: Feature;
  /** The methods it is about: a model without one of them lacks the feature. */
  needs: readonly ModelMethod[];
  /** Does it hold only if a step of the model is atomic? */
  race?: boolean;
  /** What somebody can do to a host whose model fails. */
  attack: string;
  /** How a query or a line of code does it right. */
  remedy: string;
  /** Throws a `Finding` when the model fails, a `LeftOut` when the fixtures do not allow to tell. */
  run(bench: Bench): Promise<void>;
}

/** What a check found wrong. */
export class Finding extends Error {}

/** Why a check could not be made. */
export class LeftOut extends Error {}

/** What the host has to give the kit before it can tell anything. */
export class FixtureFault extends Error {}

/** @throws Finding that says what was found instead */
export function demand(holds: unknown, found: string): asserts holds {
  if (!holds) throw new Finding(found);
}

/** A model that fails an obligation: what was found, what it lets an attacker do, and what mends it. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';

  constructor({ name, attack, remedy }: Check, finding: Error) {
    super(`A model ${name}.\nThis one does not: ${finding.message}\nAttack: ${attack}\nRemedy: ${remedy}`, {
      cause: finding,
    });
  }
}
