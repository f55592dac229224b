import type { ClientRequest } from '../../contracts/client-request.js';
import type { Token } from '../../model/model.js';
import { audienceOf, resourceKey } from '../../tokens/audience.js';
import { type AuthorizationDetail, DETAILS, detailsOf, detailsText } from '../../contracts/authorization-details.js';
import { invalidDetails, readDetails } from './read-details.js';

type Details = readonly AuthorizationDetail[];
type StoredRecord = Readonly<Record<string, unknown>>;

/**
 * Returns the authorization details that were granted with the code, refresh token or other source of the grant.
 * `undefined` if nothing was granted before, as for client credentials.
 */
export function grantedDetails({ code, refreshToken, source }: ClientRequest): Details | undefined {
  if (source?.details) return source.details;
  const record = source ? source.record : (code ?? refreshToken);
  return record && grantDetails(record);
}

/**
 * Returns the details of a whole grant from its stored record. A refresh token may have more details than its access
 * token.
 */
const grantDetails = ({ refreshTokenDetails, [DETAILS]: details }: StoredRecord): Details =>
  detailsOf(refreshTokenDetails ?? details);

/**
 * Returns the details to report for a token: those that may be used at its resources. A detail without `locations` may
 * be used everywhere, and a token without resources has all its details. RFC 9396 §9.1, §9.2
 */
export function reportedDetails(token: StoredRecord): Details {
  const isRefresh = token['refreshToken'] !== undefined && token['accessToken'] === undefined;
  const details = isRefresh ? grantDetails(token) : detailsOf(token[DETAILS]);
  const resources = audienceOf((isRefresh && token['refreshTokenResource']) || token['resource']).map(resourceKey);
  if (resources.length === 0) return details;
  return details.filter(({ locations }) => !locations || locations.some((uri) => isAt(resourceKey(uri), resources)));
}

const isAt = (location: string, resources: readonly string[]) =>
  resources.some((uri) => location === uri || location.startsWith(uri.endsWith('/') ? uri : `${uri}/`));

/**
 * Verifies that a refresh request that is repeated within the rotation grace period contains the same details as the
 * first one, because it gets the same response.
 * @throws {InvalidAuthorizationDetailsError} If it contains other details.
 */
export function verifyRetriedDetails({ refreshToken, tokenMembers, parameters }: ClientRequest, token: Token): void {
  if (!refreshToken || tokenMembers[DETAILS] !== undefined) return;
  const requested = readDetails(parameters);
  if (requested && detailsText(requested) !== detailsText(detailsOf(token[DETAILS]))) {
    throw invalidDetails('the refresh token was already used with other details');
  }
}
