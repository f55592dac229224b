import { keepRecent } from '../../crypto/lru.js';

/** A document that was fetched, and until when it may be believed: by a clock that nobody sets. */
interface StoredDocument<D> {
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
  isTemporary(error: unknown): boolean;
  /** Was nothing asked, for want of a place? That says nothing of the document. */
  isNotAttempted(error: unknown): boolean;
  /** How many documents. */
  size: number;
  /** Seconds for which one is good that cannot be fetched again. */
  outage: number;
  /** Seconds in which nothing is fetched again that could not be fetched. */
  pause: number;
}

/** How many failures are remembered for each document. */
const FAILURES_PER_DOCUMENT = 8;

/**
 * Documents by their URLs, so many at most: what was not asked for the longest time is forgotten first. However many ask for
 * one at once, it is fetched once, and what could not be fetched is left in peace for a while.
 */
export class DocumentCache<D> {
  private readonly documents = new Map<string, StoredDocument<D>>();
  private readonly failures = new Map<string, { error: unknown; until: number }>();
  private readonly pendingFetches = new Map<string, Promise<D>>();

  constructor(private readonly options: DocumentCacheOptions<D>) {}

  /**
   * Returns a document from the cache, or fetches it. Rejects with the error of `fetch`.
   * @param requester The network of the request that needs the document, if known.
   */
  async get(url: string, requester?: string): Promise<D> {
    const now = performance.now();
    const known = this.documents.get(url);
    if (known) {
      this.documents.delete(url);
      this.documents.set(url, known);
      if (now < known.freshUntil) return known.document;
    }
    try {
      return await this.fetchUnlessPaused(url, now, requester);
    } catch (error) {
      if (known && now < known.goodUntil && this.options.isTemporary(error)) return known.document;
      throw error;
    }
  }

  private fetchUnlessPaused(url: string, now: number, requester: string | undefined): Promise<D> {
    const failed = this.failures.get(url);
    if (failed && now < failed.until) return Promise.reject(failed.error);
    let fetching = this.pendingFetches.get(url);
    if (!fetching) {
      fetching = this.fetch(url, requester).finally(() => this.pendingFetches.delete(url));
      this.pendingFetches.set(url, fetching);
    }
    return fetching;
  }

  private async fetch(url: string, requester: string | undefined): Promise<D> {
    const { size, outage, pause } = this.options;
    try {
      const { document, seconds } = await this.options.fetch(url, requester);
      const freshUntil = performance.now() + seconds * 1000;
      this.failures.delete(url);
      keepRecent(this.documents, url, { document, freshUntil, goodUntil: freshUntil + outage * 1000 }, size);
      return document;
    } catch (error) {
      if (!this.options.isTemporary(error)) this.documents.delete(url);
      if (pause > 0 && !this.options.isNotAttempted(error))
        keepRecent(
          this.failures,
          url,
          { error, until: performance.now() + pause * 1000 },
          size * FAILURES_PER_DOCUMENT,
        );
      throw error;
    }
  }
}
