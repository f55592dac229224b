import { keepRecent } from '../../crypto/lru.js';

/** A document that was fetched, and until when it may be believed: by a clock that nobody sets. */
interface Kept<D> {
  document: D;
  freshUntil: number;
  /** Until when it may stand in for one that cannot be fetched. */
  goodUntil: number;
}

/** How documents are kept. */
export interface DocumentCacheOptions<D> {
  /** @param requester The network of the request that needs the document, if known. */
  fetch(url: string, requester: string | undefined): Promise<{ document: D; seconds: number }>;
  /** May the same attempt succeed later, so that what is known is good meanwhile? */
  isPassing(error: unknown): boolean;
  /** Was nothing asked, for want of a place? That says nothing of the document. */
  isUnasked(error: unknown): boolean;
  /** How many documents. */
  size: number;
  /** Seconds for which one is good that cannot be fetched again. */
  outage: number;
  /** Seconds in which nothing is fetched again that could not be fetched. */
  pause: number;
}

/** How many failures are remembered for each document. */
const PAUSES = 8;

/**
 * Documents by their URLs, so many at most: what was not asked for the longest time is forgotten first. However many ask for
 * one at once, it is fetched once, and what could not be fetched is left in peace for a while.
 */
export class DocumentCache<D> {
  private readonly kept = new Map<string, Kept<D>>();
  private readonly failed = new Map<string, { error: unknown; until: number }>();
  private readonly underWay = new Map<string, Promise<D>>();

  constructor(private readonly options: DocumentCacheOptions<D>) {}

  /**
   * Returns a document from the cache, or fetches it. Rejects with the error of `fetch`.
   * @param requester The network of the request that needs the document, if known.
   */
  async get(url: string, requester?: string): Promise<D> {
    const now = performance.now();
    const known = this.kept.get(url);
    if (known) {
      this.kept.delete(url);
      this.kept.set(url, known);
      if (now < known.freshUntil) return known.document;
    }
    try {
      return await this.renewed(url, now, requester);
    } catch (error) {
      if (known && now < known.goodUntil && this.options.isPassing(error)) return known.document;
      throw error;
    }
  }

  private renewed(url: string, now: number, requester: string | undefined): Promise<D> {
    const failed = this.failed.get(url);
    if (failed && now < failed.until) return Promise.reject(failed.error);
    let fetching = this.underWay.get(url);
    if (!fetching) {
      fetching = this.fetch(url, requester).finally(() => this.underWay.delete(url));
      this.underWay.set(url, fetching);
    }
    return fetching;
  }

  private async fetch(url: string, requester: string | undefined): Promise<D> {
    const { size, outage, pause } = this.options;
    try {
      const { document, seconds } = await this.options.fetch(url, requester);
      const freshUntil = performance.now() + seconds * 1000;
      this.failed.delete(url);
      keepRecent(this.kept, url, { document, freshUntil, goodUntil: freshUntil + outage * 1000 }, size);
      return document;
    } catch (error) {
      if (!this.options.isPassing(error)) this.kept.delete(url);
      if (pause > 0 && !this.options.isUnasked(error))
        keepRecent(this.failed, url, { error, until: performance.now() + pause * 1000 }, size * PAUSES);
      throw error;
    }
  }
}
