import { SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { type ClientGroup, forEachGroup, groupOf } from './client-group.js';

/**
 * The requests that notify clients. Each group of clients has its own limits of simultaneous requests to a host and to
 * an address, so that self-registered clients cannot use up those of other clients.
 */
export class NotificationFetch {
  private readonly fetches: Readonly<Record<ClientGroup, SafeFetch>>;

  /** @throws {InvalidArgumentError} If an option is invalid. */
  constructor(options: SafeFetchOptions) {
    this.fetches = forEachGroup(() => new SafeFetch(options));
  }

  /** Whether a URL may be called, judging by its text alone. */
  isFetchable(url: string): boolean {
    return this.fetches.operator.isFetchable(url);
  }

  /**
   * Sends content to a client by POST.
   * @throws {FetchError} If the URL is not allowed, or if the client did not accept the content.
   */
  async post(clientId: string, ...request: Parameters<SafeFetch['post']>): Promise<void> {
    await this.fetches[groupOf(clientId)].post(...request);
  }
}
