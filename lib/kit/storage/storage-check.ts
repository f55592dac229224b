import type { StorageContext } from './storage-context.js';

/** The methods of a storage for which the contract report has a line each. */
export const STORAGE_METHODS = [
  'save',
  'consumeAndSave',
  'find',
  'consume',
  'update',
  'insertRow',
  'removeRow',
  'listRows',
  'eraseGrants',
  'once',
  'count',
  'readText',
  'replaceText',
  'revokeGrants',
  'hasGrant',
  'listGrants',
  'pageGrants',
  'prune',
  'findClient',
  'saveClient',
  'addNewClient',
  'removeClient',
  'listClients',
  'readClock',
] as const;

/** The name of a method of `Storage` or `ClientStorage`. */
export type StorageMethod = (typeof STORAGE_METHODS)[number];

/** One check of the storage contract. It tests one rule of `Storage` or `ClientStorage`. */
export interface StorageCheck {
  /** The rule: a verb phrase whose subject is the method `feature`. */
  name: string;
  feature: StorageMethod;
  /** Whether the check sends concurrent calls. Default: `false`. */
  race?: boolean;
  /** Whether the check needs all methods of `ClientStorage`. Default: `false`. */
  clients?: boolean;
  /**
   * Runs the check. Resolves if the storage passes it.
   * @throws {CheckFailure} If the storage fails the check.
   * @throws {SkippedCheck} If the resources do not allow this check.
   */
  run(context: StorageContext): Promise<void>;
}

/** Returns checks of one method from their rules and functions. */
export const checksOf = (
  feature: StorageMethod,
  checks: Readonly<Record<string, StorageCheck['run']>>,
  more: Pick<StorageCheck, 'race' | 'clients'> = {},
): StorageCheck[] =>
  Object.entries(checks).map(([rule, run]) => Object.assign({ name: `${feature}() ${rule}`, feature, run }, more));

/** The error for a storage that violates a rule. Its message names the rule, the observation and the documentation. */
export class StorageContractViolation extends Error {
  override readonly name = 'StorageContractViolation';

  constructor({ name, feature }: StorageCheck, finding: Error) {
    const type = STORAGE_METHODS.indexOf(feature) < STORAGE_METHODS.indexOf('findClient') ? 'Storage' : 'ClientStorage';
    super(
      `Rule: ${name}.\nObserved: ${finding.message}\n` +
        `Documentation: the comments of \`${type}\` and of its method \`${feature}()\` in \`nest-oauth2/stores\`.`,
      { cause: finding },
    );
  }
}
