import { FetchError } from './fetch-error.js';

/** Lets so many do something at once, and so many for each of whom it concerns: who comes beyond that is sent away. */
export class Places {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  constructor(
    private readonly places: number,
    private readonly placesEach: number,
  ) {}

  /** @throws FetchError when there is no place */
  async within<T>(whom: string, work: () => Promise<T>): Promise<T> {
    const by = this.takenBy.get(whom) ?? 0;
    if (this.taken >= this.places) throw new FetchError('busy', `${this.places} are being fetched already`);
    if (by >= this.placesEach) throw new FetchError('busy', `${by} are being fetched from ${whom} already`);
    this.taken += 1;
    this.takenBy.set(whom, by + 1);
    try {
      return await work();
    } finally {
      this.taken -= 1;
      const left = this.takenBy.get(whom)! - 1;
      if (left > 0) this.takenBy.set(whom, left);
      else this.takenBy.delete(whom);
    }
  }
}
