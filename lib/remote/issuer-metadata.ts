import { shortText } from '../events/events.js';
import { isObject } from '../http/is-object.js';
import { type JsonResponse, requestJson } from './json-request.js';
import { MisconfiguredError } from './misconfigured-error.js';
import { unavailable } from './unavailable.js';

/**
 * Reads the metadata of another authorization server, from either of the two well-known locations. RFC 8414 §3.1, §5
 * @throws {TemporarilyUnavailableError} If neither location responds with JSON metadata.
 * @throws {MisconfiguredError} If `issuer` in the metadata is not the given issuer.
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
    `Cannot read the metadata of ${issuer}: the last response had status ${last!.status}. Compare the issuer with \`iss\` of its tokens`,
    last!.retryAfter,
  );
}

/**
 * Verifies that `issuer` in the metadata is the given issuer, because the metadata of another issuer could point to
 * endpoints of an attacker. RFC 8414 §3.3
 * @throws {MisconfiguredError} If it is not.
 */
function verifyIssuer(metadata: Readonly<Record<string, unknown>>, issuer: string): Readonly<Record<string, unknown>> {
  const { issuer: issuerInMetadata } = metadata;
  if (issuerInMetadata === issuer) return metadata;
  const actual = typeof issuerInMetadata === 'string' ? `'${shortText(issuerInMetadata)}'` : typeof issuerInMetadata;
  throw new MisconfiguredError(
    `the configured issuer ${issuer} and \`issuer\` in its metadata (${actual}) must be equal: correct the configured issuer or the metadata`,
  );
}
