import { countAttempt, RateLimit, type RequestRate } from '../../../lib/internal.js';
import { usersOf } from '../../tenants/tenant-of.js';
import { PageProblem } from './answers.js';
import type { PageCall } from './page-call.js';

/** The limits of failed forms of one page, by network and by signed-in user. */
export class PageThrottle {
  private readonly network: RateLimit | undefined;
  private readonly account: RateLimit | undefined;

  /** @param path distinguishes the limits from those of other pages */
  constructor(path: string, { network, account }: { network?: RequestRate; account?: RequestRate }) {
    this.network = network && new RateLimit(`page ${path}: network`, network);
    this.account = account && new RateLimit(`page ${path}: account`, account);
  }

  /**
   * Counts a form before it is handled. Forms whose answer is no problem are taken back from the count. Sets
   * `Retry-After` if there were too many.
   */
  async limit<T extends object>(call: PageCall, post: () => Promise<T>): Promise<T | PageProblem> {
    const { server, network, response } = call;
    const key = (text: string) => JSON.stringify([usersOf(server) ?? null, text]);
    const user = this.account && (call.hasUser ? call.user : await call.findUser());
    const { wait, giveBack } = await countAttempt(
      [
        ...(this.network && network !== undefined ? [[this.network, key(network)] as const] : []),
        ...(this.account && user ? [[this.account, key(String(user['id']))] as const] : []),
      ],
      server.options.model,
    );
    if (wait > 0) {
      response.set('retry-after', String(Math.ceil(wait)));
      return new PageProblem('throttled');
    }
    const answer = await post();
    if (!(answer instanceof PageProblem)) await giveBack();
    return answer;
  }
}
