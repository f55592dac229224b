import type { LabContext } from './context.js';
import type { Lab } from './lab.js';
import type { JudgedResponse, Outcome } from './outcome.js';

/** The texts of an attack. */
export interface AttackText {
  /** The name in the options `only` and `skip`. */
  readonly id: string;
  /** The section of the specification, or the advisory, that describes the attack. */
  readonly source: string;
  /**
   * The requirements of the attack: a capability such as `user`, an endpoint such as `/introspection`, a feature such
   * as `dpop()`, or a grant such as `refresh_token`. `code` means a user and the authorization code grant.
   */
  readonly needs: readonly string[];
  /** A sentence that describes the attempt of the attacker. */
  readonly title: string;
  /** What the application did if a response shows that the attack succeeded. Empty if the attack finds it out. */
  readonly finding: string;
  /** How to correct an application in which the attack succeeds. */
  readonly remedy: string;
}

/** An attack on the authorization server or on a guarded route. */
export interface Attack extends AttackText {
  /** Returns why there is nothing to attack. `undefined` if the attack applies. */
  applies(context: LabContext): string | undefined;
  /** Carries out the attack. A response is judged with the `finding`. */
  run(lab: Lab): Promise<Outcome | JudgedResponse>;
}

/** The code of attacks, by ID. */
export type AttackRuns = Readonly<Record<string, Attack['run']>>;

/**
 * Returns an attack for each row of a table.
 * @param prefix the beginning of the IDs. The names of the rows follow.
 */
export const attacksOf = <Row>(
  prefix: string,
  rows: Readonly<Record<string, Row>>,
  run: (lab: Lab, row: Row) => ReturnType<Attack['run']>,
): AttackRuns =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [`${prefix}-${name}`, (lab) => run(lab, row)]));
