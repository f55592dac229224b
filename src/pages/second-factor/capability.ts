import { assertConfig } from '../../../lib/adapter/index.js';
import { capability, InvalidArgumentError } from '../../../lib/index.js';
import type { SecondFactor } from './options.js';

/** Holds the second factor of one server, because Nest makes it after the server. */
export class SecondFactorHolder {
  private instance: SecondFactor | undefined;

  /**
   * Sets the instance that Nest has made.
   * @throws {InvalidArgumentError} If it lacks a method.
   */
  set(instance: object): void {
    const factor = instance as SecondFactor;
    for (const method of ['isEnrolled', 'verify'] as const) {
      const has = typeof factor?.[method] === 'function';
      assertConfig(has, `the \`secondFactor\` of \`pages()\` has no method \`${method}()\`: implement it`);
    }
    this.instance = factor;
  }

  /**
   * The second factor.
   * @throws {InvalidArgumentError} If the server was not made by `OAuth2Module`.
   */
  get factor(): SecondFactor {
    if (this.instance) return this.instance;
    throw new InvalidArgumentError(
      'Invalid argument: `secondFactor` of `pages()` requires OAuth2Module, which makes its instance',
    );
  }
}

/** The capability key under which `pages()` provides the holder of the second factor of a server. */
export const SECOND_FACTOR = capability<SecondFactorHolder>('second factor', 'pages');
