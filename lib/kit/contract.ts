import type { FeatureModel } from './feature-model.js';
import type { ModelMethod } from '../model/model.js';
import type { CheckContext } from './check-context.js';

/** The parts of a model that are proven apart. */
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
  'what happens once',
  'passwords',
  'client credentials',
] as const;

export type Feature = (typeof FEATURES)[number];

/** What a model may implement: for the classic interface, and for features. */
export type CheckedMethod = ModelMethod | keyof FeatureModel;

/** One obligation of a model. */
export interface Check {
  /** A sentence, its subject being the model. */
  name: string;
  feature: Feature;
  /** The methods it is about: a model without one of them lacks the feature. */
  needs: readonly CheckedMethod[];
  /** Does it hold only if a step of the model is atomic? */
  race?: boolean;
  /** What somebody can do to a host whose model fails. */
  attack: string;
  /** How a query or a line of code does it right. */
  remedy: string;
  /** Throws a `CheckFailure` when the model fails, a `SkippedCheck` when the fixtures do not allow to tell. */
  run(trial: CheckContext): Promise<void>;
}

/** What a check found wrong. */
export class CheckFailure extends Error {}

/** Why a check could not be made. */
export class SkippedCheck extends Error {}

/** @throws Finding that says what was found instead */
export function assert(holds: unknown, failure: string): asserts holds {
  if (!holds) throw new CheckFailure(failure);
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
