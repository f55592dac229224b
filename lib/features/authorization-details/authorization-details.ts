import type { ClientRequest } from '../../contracts/client-request.js';
import type { Feature } from '../../contracts/feature.js';
import type { AuthorizationHooks, TokenHooks } from '../../contracts/hooks.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import {
  AUTHORIZATION_DETAILS,
  type AuthorizationDetail,
  DETAILS,
  detailsOf,
} from '../../contracts/authorization-details.js';
import type { Model } from '../../model/model.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { type AuthorizationDetailsOptions, typeErrors } from './detail-type.js';
import type { AuthorizationDetailsModel } from './details-model.js';
import { KnownDetails } from './known-details.js';
import { detailsFromApplication, invalidDetails, readDetails } from './read-details.js';
import { reportedDetails, grantedDetails, verifyRetriedDetails } from './token-details.js';

/**
 * Adds authorization details: clients request permissions as JSON objects that say more than a scope value, such as one
 * payment or certain accounts. Codes and tokens are saved with `authorization_details`. A refresh token that allows
 * more than its access token is saved with `refreshTokenDetails`. RFC 9396
 */
export function authorizationDetails(options: AuthorizationDetailsOptions): Feature {
  const details = new KnownDetails(options?.types);
  return {
    id: 'authorizationDetails',
    specification: 'RFC 9396',
    parameters: { authorize: PARAMETER, token: PARAMETER, device_authorization: PARAMETER },

    install(builder) {
      builder.provide(AUTHORIZATION_DETAILS, () => details);
      return {
        authorization: authorizationHooks(details, builder.options.model),
        token: tokenHooks(details),
        metadata: () => ({ authorization_details_types_supported: [...details.types.keys()] }),
        misconfigurations: () => configurationErrors(options),
      };
    },
  };
}

/** Returns the hooks that read and validate the details of authorization requests. RFC 9396 §2, §7.1 */
function authorizationHooks(details: KnownDetails, model: Model): AuthorizationHooks {
  /** The details of each request, before the model decided on them for a user. */
  const requestedDetailsOf = new WeakMap<AuthorizationRequest, readonly AuthorizationDetail[]>();
  return {
    async read(parameters, { client }) {
      const requested = readDetails(parameters);
      if (!requested) return undefined;
      details.verify(requested, client);
      return storedDetails(await details.approve(requested, { client }, model));
    },

    // Details of a type without `remember` need consent each time, even if the application remembers consent.
    requireInteraction({ data }) {
      return details.mayRemember(detailsOf(data[DETAILS])) ? undefined : { consent: true };
    },

    async approve(request, { user, decision }) {
      const { client, data } = request;
      if (decision) {
        const chosen = decision.error ? undefined : decision.authorizationDetails;
        if (chosen)
          data[DETAILS] = chosen.length > 0 ? detailsFromApplication(chosen, detailsOf(data[DETAILS])) : undefined;
        return;
      }
      const requested = requestedDetailsOf.get(request) ?? detailsOf(data[DETAILS]);
      if (requested.length === 0) return;
      requestedDetailsOf.set(request, requested);
      const { [DETAILS]: approved } = storedDetails(await details.approve(requested, { client, user }, model));
      data[DETAILS] = approved;
    },
  };
}

/** Returns the hooks that store details with tokens and return them to clients. RFC 9396 §6, §7, §9 */
function tokenHooks(details: KnownDetails): TokenHooks {
  return {
    async issue(request) {
      const tokenDetails = await detailsOfToken(request, details);
      if (tokenDetails.length > 0) request.tokenMembers[DETAILS] = tokenDetails;
    },

    respond(request, token) {
      verifyRetriedDetails(request, token);
      const reported = reportedDetails({ ...request.tokenMembers, ...token });
      if (reported.length > 0) request.responseMembers[DETAILS] = reported;
    },

    describe(token) {
      const reported = reportedDetails(token);
      return reported.length > 0 ? { [DETAILS]: reported } : undefined;
    },
  };
}

const storedDetails = (details: readonly AuthorizationDetail[]) => ({
  [DETAILS]: details.length > 0 ? details : undefined,
});

/**
 * Returns the details that a token is issued for: the requested part of the granted details, or all of them if none are
 * requested. If the grant has no stored record, such as client credentials, the details that the model allows.
 * RFC 9396 §6
 */
async function detailsOfToken(request: ClientRequest, details: KnownDetails): Promise<readonly AuthorizationDetail[]> {
  const { authorization, parameters, client, options } = request;
  const model: AuthorizationDetailsModel & typeof options.model = options.model;
  const requested = readDetails(parameters);
  if (requested) details.verify(requested, client);
  const granted = grantedDetails(request);
  if (requested && !granted && !model.validateAuthorizationDetails) {
    throw invalidDetails(
      'no user has consented to them, and the model has no `validateAuthorizationDetails()` to allow them',
    );
  }
  const result = granted ? requestedDetails(requested, granted, details) : (requested ?? []);
  if (result.length === 0) return [];
  // Details that another server has granted may be of types that this server does not support.
  if (request.source?.isExternal) details.verify(result, client);
  // The refresh token keeps all granted details, even if this access token has fewer.
  if (requested && granted && authorization!.refreshable) request.tokenMembers['refreshTokenDetails'] = granted;
  return await details.approve(result, authorization!, model);
}

function requestedDetails(
  requested: readonly AuthorizationDetail[] | undefined,
  granted: readonly AuthorizationDetail[],
  details: KnownDetails,
): readonly AuthorizationDetail[] {
  if (requested) return details.narrow(requested, granted);
  const left = details.remaining(granted);
  if (left.length > 0 || granted.length === 0) return left;
  throw invalidDetails('no granted detail is of a type that the server still supports');
}

function* configurationErrors(options: AuthorizationDetailsOptions): Iterable<string> {
  const unknown = findUnknownOption(options ?? {}, { types: true }, '`authorizationDetails()`');
  if (unknown !== undefined) yield unknown;
  yield* typeErrors(options?.types);
}

const PARAMETER = { authorization_details: 'The requested permissions, as a JSON list of objects.' };
