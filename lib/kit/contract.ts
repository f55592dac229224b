import type { FeatureModel } from './feature-model.js';
import type { ModelMethod } from '../model/model.js';
import type { CheckContext } from './check-context.js';

/** The features of a model that the contract kit checks and reports separately. */
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
  'passwords',
  'client credentials',
] as const;

export type Feature = (typeof FEATURES)[number];

/** The name of a model method, of the base interface or of a feature. */
export type CheckedMethod = ModelMethod | keyof FeatureModel;

/** One check of the contract kit: a requirement on models. */
export interface Check {
  /**
   * The title of the test: a verb phrase whose subject is the model, for example `rejects a client with a wrong
   * secret`.
   */
  name: string;
  feature: Feature;
  /** The methods that the check calls. A model that lacks one of them does not have the feature. */
  needs: readonly CheckedMethod[];
  /** Whether the check tests concurrent calls, which only an atomic step of the model passes. */
  race?: boolean;
  /** The attack or failure that an application suffers if its model fails the check. */
  attack: string;
  /** How to fix the model, with example queries. */
  remedy: string;
  /**
   * Runs the check.
   * @throws {CheckFailure} If the model fails the check.
   * @throws {SkippedCheck} If the fixtures or the model do not allow this check.
   */
  run(context: CheckContext): Promise<void>;
}

/** The error of a check that the model fails. Its message describes the observation. */
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
 * The error of a model that fails a check. Its message names the requirement, the observation, the attack and the
 * remedy.
 */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';

  constructor({ name, attack, remedy }: Check, finding: Error) {
    super(`Requirement: the model ${name}.\nObserved: ${finding.message}\nAttack: ${attack}\nRemedy: ${remedy}`, {
      cause: finding,
    });
  }
}
