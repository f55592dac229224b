import { FetchError } from '../http/safe-fetch/index.js';

/** Something that is to be brought to somebody. */
interface Delivery {
  /** The URI that it is brought to. */
  to: string;
  send(): Promise<void>;
  /** Called once: without a failure it has arrived. */
  done(failure?: unknown): void;
}

/** One that is under way, or waits. */
interface Accepted {
  delivery: Delivery;
  host: string;
  /** How often it was tried. */
  tried: number;
}

/** How many may be under way or wait, in one process. */
const MOST = 1000;
/** Of these, how many are under way, and to one host. */
const AT_ONCE = 32;
const AT_ONCE_EACH = 4;

/** Milliseconds after which it is tried again, where that may help. */
const PAUSES = [300, 3000];

/** Brings things to others in the background: so many at once, and no more to one host than it can take. They die with the process. */
export class Deliveries {
  private readonly waiting: Accepted[] = [];
  private readonly underWay = new Map<string, number>();
  private count = 0;
  private running = 0;

  add(delivery: Delivery): void {
    if (this.count >= MOST) return delivery.done(new FetchError('busy', `${MOST} deliveries wait already`));
    this.count += 1;
    this.wait({ delivery, host: hostOf(delivery.to), tried: 0 });
  }

  private wait(accepted: Accepted): void {
    this.waiting.push(accepted);
    this.begin();
  }

  private begin(): void {
    while (this.running < AT_ONCE) {
      const at = this.waiting.findIndex(({ host }) => this.countOf(host) < AT_ONCE_EACH);
      if (at < 0) return;
      const [accepted] = this.waiting.splice(at, 1) as [Accepted];
      void this.run(accepted);
    }
  }

  private async run({ delivery, host, tried }: Accepted): Promise<void> {
    this.take(host, 1);
    const failure = await delivery.send().then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown'),
    );
    this.take(host, -1);
    const pause = failure instanceof FetchError && failure.isPassing ? PAUSES[tried] : undefined;
    if (pause === undefined) {
      this.count -= 1;
      delivery.done(failure);
    } else {
      // A process that has nothing else to do is not kept alive by it.
      setTimeout(() => this.wait({ delivery, host, tried: tried + 1 }), pause).unref();
    }
    this.begin();
  }

  private countOf(host: string): number {
    return this.underWay.get(host) ?? 0;
  }

  private take(host: string, by: 1 | -1): void {
    this.running += by;
    const count = this.countOf(host) + by;
    if (count > 0) this.underWay.set(host, count);
    else this.underWay.delete(host);
  }
}

/** A host may have registered anything for a client. */
const hostOf = (uri: string) => (URL.canParse(uri) ? new URL(uri).host : '');
