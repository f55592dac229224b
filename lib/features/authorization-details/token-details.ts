import type { ClientRequest } from '../../contracts/client-request.js';
import type { Token } from '../../model/model.js';
import { audienceOf, resourceKey } from '../../tokens/audience.js';
import { type AuthorizationDetail, DETAILS, detailsOf, detailsText } from '../../contracts/authorization-details.js';
import { invalidDetails, readDetails } from './read-details.js';

type Details = readonly AuthorizationDetail[];
type StoredRecord = Readonly<Record<string, unknown>>;

/** Returns the details that were granted before: to the code, the refresh token or another source. Undefined if there is none. */
export function grantedDetails({ code, refreshToken, source }: ClientRequest): Details | undefined {
  if (source?.details) return source.details;
  const record = source ? source.record : (code ?? refreshToken);
  return record && grantDetails(record);
}

/** Those of a refresh token whose access token was narrowed are more than that one has. */
const grantDetails = ({ refreshTokenDetails, [DETAILS]: own }: StoredRecord): Details =>
  detailsOf(refreshTokenDetails ?? own);

/**
 * What is said of a token: the details that may be used at the resources it is for. Details without `locations`, and tokens for
 * nothing in particular, leave that open. RFC 9396 §9.1, §9.2
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

/** A client that has the answer to its first try again must not take it for another one. */
export function verifyRetriedDetails(
  { refreshToken, tokenMembers: kept, parameters }: ClientRequest,
  token: Token,
): void {
  if (!refreshToken || kept[DETAILS] !== undefined) return;
  const named = readDetails(parameters);
  if (named && detailsText(named) !== detailsText(detailsOf(token[DETAILS]))) {
    throw invalidDetails('the refresh token was used for other details');
  }
}
