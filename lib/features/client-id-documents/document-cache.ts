import { keepRecent } from '../../crypto/lru.js';

/** A fetched document, and the times until which it may be used, in milliseconds on a monotonic clock. */
interface StoredDocument<D> {
  document: D;
  freshUntil: number;
  /** Until when the document may be used if fetching it again fails temporarily. */
  usableUntil: number;
}

/** The functions and limits of a document cache. */
export interface DocumentCacheOptions<D> {
  /**
   * Fetches a document and returns it with its lifetime in seconds.
   * @param requester The network of the request that needs the document, if known.
   */
  fetch(url: string, requester: string | undefined): Promise<{ document: D; seconds: number }>;
  /**
   * Whether a fetch that failed with this error may succeed later. An expired document then stays usable for `outage`
   * seconds. After any other error, the stored document is removed.
   */
  isTemporary(error: unknown): boolean;
  /**
   * Whether no fetch was attempted, because too many were in progress. The document may then be fetched again at once.
   */
  isNotAttempted(error: unknown): boolean;
  /** Maximum number of stored documents. */
  size: number;
  /** Seconds after its lifetime for which a document is used if fetching it again fails temporarily. */
  outage: number;
  /** Seconds after a failed fetch in which the document is not fetched again. */
  pause: number;
}

/** Maximum number of remembered failures, as a multiple of the maximum number of documents. */
const FAILURES_PER_DOCUMENT = 8;

/**
 * A cache of documents by URL. If it is full, the least recently used document is removed. Concurrent requests for one
 * document share one fetch, and a failed fetch is not repeated for some seconds.
 */
export class DocumentCache<D> {
  private readonly documents = new Map<string, StoredDocument<D>>();
  private readonly failures = new Map<string, { error: unknown; until: number }>();
  private readonly pendingFetches = new Map<string, Promise<D>>();

  constructor(private readonly options: DocumentCacheOptions<D>) {}

  /**
   * Returns a document from the cache, or fetches it. If the fetch fails temporarily, an expired document may be
   * returned. Otherwise rejects with the error of the fetch.
   * @param requester The network of the request that needs the document, if known.
   */
  async get(url: string, requester?: string): Promise<D> {
    const now = performance.now();
    const stored = this.documents.get(url);
    if (stored) {
      this.documents.delete(url);
      this.documents.set(url, stored);
      if (now < stored.freshUntil) return stored.document;
    }
    try {
      return await this.fetchUnlessPaused(url, now, requester);
    } catch (error) {
      if (stored && now < stored.usableUntil && this.options.isTemporary(error)) return stored.document;
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
      keepRecent(this.documents, url, { document, freshUntil, usableUntil: freshUntil + outage * 1000 }, size);
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
