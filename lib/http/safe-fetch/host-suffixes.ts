import { isIP } from 'node:net';

/**
 * Returns the last two and the last three labels of a host name, as far as it has them. Returns an empty list for an IP
 * address.
 */
export function suffixesOf(hostname: string): string[] {
  if (hostname.startsWith('[') || isIP(hostname)) return [];
  const labels = hostname.split('.');
  return [2, 3].filter((count) => count <= labels.length).map((count) => labels.slice(-count).join('.'));
}

/** Returns the last two labels of a host name, or the whole name if it has fewer or is an IP address. */
export const domainOf = (hostname: string): string => suffixesOf(hostname)[0] ?? hostname;
