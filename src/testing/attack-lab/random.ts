import { createHash } from 'node:crypto';

/** The values that the lab chooses. The same seed and the same name give the same values. */
export class Random {
  private count = 0;

  /** @param name the part of the lab that uses the values, such as the ID of an attack */
  constructor(
    private readonly seed: number,
    private readonly name: string,
  ) {}

  /** Returns a text of `length` characters, at most 43. */
  next(length = 43): string {
    this.count += 1;
    const input = JSON.stringify([this.seed, this.name, this.count]);
    return createHash('sha256').update(input).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, length);
  }

  /** Returns an integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return Number.parseInt(this.next(8), 36) % limit;
  }
}
