import { createHash } from 'node:crypto';

/** The values that the lab chooses. The same seed, name and run give the same values. */
export class Random {
  private count = 0;

  /**
   * @param name the part of the lab that uses the values, such as the ID of an attack
   * @param run the number of earlier runs at the same store
   */
  constructor(
    private readonly seed: number,
    private readonly name: string,
    private readonly run = 0,
  ) {}

  /** Returns a text of `length` characters, at most 43. */
  next(length = 43): string {
    this.count += 1;
    const { seed, name, count, run } = this;
    const input = JSON.stringify([seed, name, count, ...(run === 0 ? [] : [run])]);
    return createHash('sha256').update(input).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, length);
  }

  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return Number.parseInt(this.next(8), 36) % limit;
  }
}
