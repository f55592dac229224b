import { TemporarilyUnavailableError } from '../errors/index.js';
import type { ClientRequest } from '../contracts/client-request.js';
import { isSelfRegistered } from './registration/self-registered.js';
import { addressOf, networkOf } from '../http/network.js';
import { type RequestRate, WindowCounts } from '../http/window-counts.js';

/**
 * Limits how often public clients may send requests from one network, where each request makes the server store something. Clients that
 * registered themselves are limited too, because an attacker can register a client with a secret. Other clients that authenticate are not
 * limited. Counted in the memory of this process; requests whose address is unknown are not counted.
 */
export class PublicClientRate {
  private readonly counts: WindowCounts | undefined;

  /** @param rate `false`: no limit */
  constructor(rate: RequestRate | false) {
    this.counts = rate === false ? undefined : new WindowCounts(rate);
  }

  /** @throws {TemporarilyUnavailableError} With status 429, if there were too many requests. RFC 9126 §2.3 */
  verify({
    client,
    authenticationMethod: proof,
    request,
  }: Pick<ClientRequest, 'client' | 'authenticationMethod' | 'request'>): void {
    const address = addressOf(request);
    const isLimited = proof === 'none' || isSelfRegistered(client);
    if (!this.counts || !isLimited || address === undefined) return;
    const retryAfter = this.counts.add(networkOf(address));
    if (retryAfter === 0) return;
    const detail = {
      reason: 'public and self-registered clients send few requests from one network',
      given: networkOf(address),
    };
    throw new TemporarilyUnavailableError('Too many requests: try again later', { code: 429, retryAfter }).because(
      detail,
    );
  }
}

/** Returns the error message for an invalid `rate`; `undefined` if it is valid. */
export function findRateError(rate: unknown, feature: string): string | undefined {
  if (rate === undefined || rate === false) return undefined;
  const { requests, per } = (rate ?? {}) as Partial<RequestRate>;
  if (isCount(requests, 1_000_000) && isCount(per, 86_400)) return undefined;
  return `\`rate\` of ${feature} must be \`false\` or \`{ requests, per }\`: requests per network, up to 1 000 000, in a number of seconds, up to 86 400`;
}

const isCount = (value: unknown, largest: number) =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= largest;
