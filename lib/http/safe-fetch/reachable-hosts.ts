import { keepRecent } from '../../crypto/lru.js';
import { domainOf } from './host-suffixes.js';

/** Maximum number of stored domains. */
const MAX_DOMAINS = 500;
/** Maximum number of stored hosts per domain. */
const MAX_HOSTS = 16;

/**
 * The hosts whose latest fetch succeeded, each with its port: a client that names an unreachable port of a host must not
 * make the host count as unreachable. The least recently used ones are dropped first. The number of hosts per domain is
 * limited, so that the owner of one domain cannot displace the hosts of other domains.
 */
export class ReachableHosts {
  private readonly domains = new Map<string, Map<string, true>>();

  has({ hostname, host }: URL): boolean {
    return this.domains.get(domainOf(hostname))?.has(host) === true;
  }

  add({ hostname, host }: URL): void {
    const domain = domainOf(hostname);
    const hosts = this.domains.get(domain) ?? new Map<string, true>();
    keepRecent(hosts, host, true, MAX_HOSTS);
    keepRecent(this.domains, domain, hosts, MAX_DOMAINS);
  }

  delete({ hostname, host }: URL): void {
    const domain = domainOf(hostname);
    const hosts = this.domains.get(domain);
    hosts?.delete(host);
    if (hosts?.size === 0) this.domains.delete(domain);
  }
}
