import { RateLimit } from '../../../lib/internal.js';
import type { HomeRealm } from '../../pages/login/home-realm.js';
import { requestedAcr } from '../../pages/site.js';
import type { PageAnswer } from '../../pages/toolkit/answers.js';
import type { PageCall } from '../../pages/toolkit/page-call.js';
import { countFromNetwork } from '../network-limit.js';
import { domainOf } from '../providers/upstream-user.js';
import { reportUpstreamRefusal } from '../upstream-events.js';
import type { UpstreamServer } from '../upstream-server.js';
import { beginAttempt } from './begin.js';

/** The limit of user names from one network whose domain has no provider. It bounds the calls of `providerFor()`. */
const lookUps = new RateLimit('upstream home realm', { requests: 1000, per: 600 });

/** Sends users to the provider that `providerFor()` of the application returns for the domain of their address. */
export class UpstreamHomeRealm implements HomeRealm {
  constructor(private readonly upstreams: UpstreamServer) {}

  get isEnabled(): boolean {
    return this.upstreams.accounts.providerFor !== undefined;
  }

  async find(call: PageCall, name: string): Promise<PageAnswer | 'busy' | 'throttled' | undefined> {
    const { server, request, endpoint } = call;
    const domain = domainOf(name);
    if (!this.isEnabled || domain === undefined) return undefined;
    const giveBack = await countFromNetwork(lookUps, call);
    if (!giveBack) return 'throttled';
    const provider = (await this.upstreams.accounts.providerFor!(domain)) || undefined;
    if (provider === undefined) return undefined;
    await giveBack();
    const use = this.upstreams.provider(provider)?.use;
    if (use === undefined || use === 'link') {
      reportUpstreamRefusal('unknownProvider', { server, request, endpoint, provider });
      return 'busy';
    }
    const acr = requestedAcr(request);
    const returnTo = call.site.loginPath(request, call.returnTo, acr && { acr });
    const begun = await beginAttempt(call, provider, { returnTo, loginHint: name });
    return 'refusal' in begun ? 'busy' : begun;
  }
}
