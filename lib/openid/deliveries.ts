import { FetchError } from '../http/safe-fetch/index.js';

/** Something that is to be brought to somebody. */
export interface Delivery {
  /** Whom it is brought to. */
  host: string;
  send(): Promise<void>;
  /** Called once: without a failure it has arrived. */
  done(failure?: unknown): void;
}

/** How many may be under way or wait, in one process. */
const MOST = 1000;
const AT_ONCE = 32;
const AT_ONCE_EACH = 4;

/** Milliseconds after which it is tried again, where that may help. */
const PAUSES = [300, 3000];

/** Brings things to others in the background: so many at once, and no more to one host than it can take. They die with the process. */
export class Deliveries {
  private readonly waiting: { delivery: Delivery; tried: number }[] = [];
  private readonly underWay = new Map<string, number>();
  private count = 0;
  private running = 0;

  add(delivery: Delivery): void {
    if (this.count >= MOST) return delivery.done(new FetchError('busy', `${MOST} deliveries wait already`));
    this.count += 1;
    this.wait(delivery, 0);
  }

  private wait(delivery: Delivery, tried: number): void {
    this.waiting.push({ delivery, tried });
    this.begin();
  }

  private begin(): void {
    while (this.running < AT_ONCE) {
      const at = this.waiting.findIndex(({ delivery }) => this.countOf(delivery) < AT_ONCE_EACH);
      if (at < 0) return;
      const [{ delivery, tried }] = this.waiting.splice(at, 1) as [Deliveries['waiting'][0]];
      void this.run(delivery, tried);
    }
  }

  private async run(delivery: Delivery, tried: number): Promise<void> {
    this.take(delivery, 1);
    const failure = await delivery.send().then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown'),
    );
    this.take(delivery, -1);
    const pause = failure instanceof FetchError && failure.isPassing ? PAUSES[tried] : undefined;
    if (pause === undefined) {
      this.count -= 1;
      delivery.done(failure);
    } else {
      // A process that has nothing else to do is not kept alive by it.
      setTimeout(() => this.wait(delivery, tried + 1), pause).unref();
    }
    this.begin();
  }

  private countOf({ host }: Delivery): number {
    return this.underWay.get(host) ?? 0;
  }

  private take(delivery: Delivery, by: 1 | -1): void {
    this.running += by;
    const count = this.countOf(delivery) + by;
    if (count > 0) this.underWay.set(delivery.host, count);
    else this.underWay.delete(delivery.host);
  }
}
