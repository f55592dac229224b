import { shortText } from '../events/events.js';
import { isObject } from '../http/is-object.js';
import { type JsonResponse, requestJson } from './json-request.js';
import { MisconfiguredError } from './misconfigured-error.js';
import { unavailable } from './unavailable.js';

/**
 * Reads what an authorization server says of itself, at either place. RFC 8414 §3.1, §5
 * @throws TemporarilyUnavailableError when it gives no answer; MisconfiguredError when it is the document of another issuer
 */
export async function readIssuerMetadata(
  issuer: string,
  request: { fetch: typeof fetch; signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  let last: JsonResponse | undefined;
  for (const url of [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]) {
    last = await requestJson(url, request);
    if (last.status === 200 && isObject(last.body)) return verifyIssuer(last.body, issuer);
    if (last.status >= 500 || last.status === 429) break;
  }
  throw unavailable(`The metadata of ${issuer} cannot be read: the last status was ${last!.status}`, last!.retryAfter);
}

/** A document of somebody else would send us anywhere. RFC 8414 §3.3 */
function verifyIssuer(metadata: Readonly<Record<string, unknown>>, issuer: string): Readonly<Record<string, unknown>> {
  const { issuer: named } = metadata;
  if (named === issuer) return metadata;
  const given = typeof named === 'string' ? `'${shortText(named)}'` : typeof named;
  throw new MisconfiguredError(`the metadata of ${issuer} is of the issuer ${given}: write it in the same characters`);
}
