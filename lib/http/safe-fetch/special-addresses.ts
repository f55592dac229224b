import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * IPv4 addresses that are not public: private, shared, loopback, link-local, documentation, multicast and others.
 * RFC 6890
 */
const SPECIAL_V4 = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
  192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/4 240.0.0.0/4`;

/**
 * Special ranges within the global unicast addresses of IPv6: Teredo, 6to4, documentation and others. RFC 6890,
 * RFC 9637
 */
const SPECIAL_V6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20';

/**
 * The global unicast addresses of IPv6. Local addresses, and the prefixes `::ffff:0:0/96` and `64:ff9b::/96` for IPv4
 * addresses, are outside of it. RFC 4291 §2.4, RFC 6052 §2.1
 */
const GLOBAL_V6 = blockList(['2000::/3']);

const special = blockList(`${SPECIAL_V4} ${SPECIAL_V6}`.trim().split(/\s+/));

/** The addresses of `localhost`. RFC 6761 §6.3 */
export const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

const loopback = blockList(['127.0.0.0/8', '::1']);

/** Whether an IP address is a public address of the Internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return GLOBAL_V6.check(address, 'ipv6') && !special.check(address, 'ipv6');
  return isIP(address) === 4 && !special.check(address, 'ipv4');
}

/** Whether an IP address is a loopback address. */
export const isLoopback = (address: string): boolean =>
  isIP(address) > 0 && loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Creates a list of addresses and ranges.
 * @param ranges Addresses, or ranges such as `10.1.0.0/16`.
 * @throws {TypeError} If an entry is neither an address nor a range.
 */
export function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix, ...more] = String(range).split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const bits = prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix);
    const isRange = isIP(address) > 0 && more.length === 0 && (prefix === undefined || /^\d{1,3}$/.test(prefix));
    if (!isRange || bits > (family === 'ipv6' ? 128 : 32))
      throw new TypeError(`\`${range}\` is neither an IP address nor a range such as 10.1.0.0/16`);
    list.addSubnet(address, bits, family);
  }
  return list;
}
