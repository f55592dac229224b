import type { FeatureModel } from './feature-model.js';
import type { ModelMethod } from '../model/model.js';
import type { CheckContext } from './check-context.js';

/** The features of a model for which the contract report has a line each. */
export const FEATURES = [
  'client authentication',
  'access tokens',
  'authorization codes',
  'refresh tokens',
  'token families',
  'token revocation',
  'pushed requests',
  'device codes',
  'exchanged tokens',
  'administered clients',
  'registered clients',
  'signing keys',
  'single-use values',
  'sessions',
  'passwords',
  'client credentials',
] as const;

export type Feature = (typeof FEATURES)[number];

/** The name of a model method that contract checks call, of the base interface or of a feature. */
export type CheckedMethod = ModelMethod | keyof FeatureModel;

/** One check of the contract kit. It tests one requirement on a model. */
export interface Check {
  /**
   * The title of the test: a verb phrase whose subject is the model, for example
   * `rejects a client with a wrong secret`.
   */
  name: string;
  feature: Feature;
  /**
   * The names of the methods without which the check does not run. A model that lacks one of them does not have the
   * feature.
   */
  needs: readonly CheckedMethod[];
  /** Whether the check sends concurrent calls, which only a model with an atomic step passes. Default: `false`. */
  race?: boolean;
  /** The attack or failure that is possible in an application whose model fails the check. */
  attack: string;
  /** How to fix the model, with example queries. */
  remedy: string;
  /**
   * Runs the check. Resolves if the model passes it.
   * @throws {CheckFailure} If the model fails the check.
   * @throws {SkippedCheck} If the fixtures or the model do not allow this check.
   */
  run(context: CheckContext): Promise<void>;
}

/** The error of a check that the model fails. Its message says what the check observed. */
export class CheckFailure extends Error {}

/** The error of a check that cannot run. The message says why. */
export class SkippedCheck extends Error {}

/**
 * Asserts a condition of a check.
 * @param failure description of the observation, if the condition is falsy
 * @throws {CheckFailure} If the condition is falsy.
 */
export function assert(holds: unknown, failure: string): asserts holds {
  if (!holds) throw new CheckFailure(failure);
}

/**
 * The error that is reported for a model that fails a check. Its message names the requirement, the observation, the
 * attack and the remedy.
 */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';

  constructor({ name, attack, remedy }: Check, finding: Error) {
    super(`Requirement: the model ${name}.\nObserved: ${finding.message}\nAttack: ${attack}\nRemedy: ${remedy}`, {
      cause: finding,
    });
  }
}
