import { isIPv6 } from 'node:net';

/** From where somebody comes: of IPv6 the first half, since who has one address there has all of the second. RFC 6177 §2 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare) || bare.includes('.')) return bare;
  const [head, tail] = bare.split('::', 2).map((part) => part.split(':').filter(Boolean));
  const missing = tail ? 8 - head!.length - tail.length : 0;
  const groups = [...head!, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
