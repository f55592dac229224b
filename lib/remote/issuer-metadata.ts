import { shortText } from '../events/events.js';
import { isObject } from '../http/is-object.js';
import { type JsonResponse, requestJson } from './json-request.js';
import { MisconfiguredError } from './misconfigured-error.js';
import { unavailable } from './unavailable.js';

/**
 * Reads the metadata of another authorization server, from either of the two well-known locations. RFC 8414 §3.1, §5
 * @throws {TemporarilyUnavailableError} If there is no usable response.
 * @throws {MisconfiguredError} If the metadata belong to another issuer.
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
  throw unavailable(
    `Cannot read the metadata of ${issuer}: the last response had status ${last!.status}`,
    last!.retryAfter,
  );
}

/**
 * Verifies the issuer in the metadata, because the metadata of another issuer could point to endpoints of an attacker.
 * RFC 8414 §3.3
 */
function verifyIssuer(metadata: Readonly<Record<string, unknown>>, issuer: string): Readonly<Record<string, unknown>> {
  const { issuer: issuerInMetadata } = metadata;
  if (issuerInMetadata === issuer) return metadata;
  const actual = typeof issuerInMetadata === 'string' ? `'${shortText(issuerInMetadata)}'` : typeof issuerInMetadata;
  throw new MisconfiguredError(
    `the metadata of ${issuer} contain the issuer ${actual}: set the option to exactly that issuer`,
  );
}
