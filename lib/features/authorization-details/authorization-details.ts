import type { ClientRequest } from '../../contracts/client-request.js';
import type { AuthorizationRequest } from '../../contracts/response-type.js';
import { type AuthorizationDetail, DETAILS, detailsOf } from '../../contracts/authorization-details.js';
import { unknownOption } from '../../options/unknown-option.js';
import { type AuthorizationDetailsOptions, typeFaults } from './detail-type.js';
import type { AuthorizationDetailsModel } from './details-model.js';
import { type DetailsFeature, KnownDetails } from './known-details.js';
import { detailsOfHost, invalid, readDetails } from './read-details.js';
import { describedDetails, grantedDetails, verifyAnswered } from './token-details.js';

/**
 * Clients say by objects what they want to do, where a word of a scope does not say it: this payment, these accounts. Codes and
 * tokens are kept with `authorization_details`, refresh tokens of narrowed access tokens with `refreshTokenDetails`. RFC 9396
 */
export function authorizationDetails(options: AuthorizationDetailsOptions): DetailsFeature {
  const details = new KnownDetails(options?.types);
  /** What was asked for, before a user was known of whom. */
  const named = new WeakMap<AuthorizationRequest, readonly AuthorizationDetail[]>();

  return {
    name: 'RFC 9396',
    factory: 'authorizationDetails',
    knownDetails: details,
    parameters: { authorize: PARAMETER, token: PARAMETER, device_authorization: PARAMETER },
    check: () => [...faultsOf(options)],
    metadata: () => ({ authorization_details_types_supported: [...details.types.keys()] }),

    async ask(parameters, { client }, server) {
      const asked = readDetails(parameters);
      if (!asked) return undefined;
      details.verify(asked, client);
      return kept(await details.approve(asked, { client }, server.options.model));
    },

    // Whatever a host remembers, what is of one moment is asked each time.
    prompt({ data }) {
      return details.mayRemember(detailsOf(data[DETAILS])) ? undefined : { consent: true };
    },

    async approve(asked, { user, decision }, server) {
      const { client, data } = asked;
      if (decision) {
        const chosen = decision.error ? undefined : decision.authorizationDetails;
        if (chosen) data[DETAILS] = chosen.length > 0 ? detailsOfHost(chosen, detailsOf(data[DETAILS])) : undefined;
        return;
      }
      const wanted = named.get(asked) ?? detailsOf(data[DETAILS]);
      if (wanted.length === 0) return;
      named.set(asked, wanted);
      const { [DETAILS]: approved } = kept(await details.approve(wanted, { client, user }, server.options.model));
      data[DETAILS] = approved;
    },

    async issue(exchange) {
      const found = await established(exchange, details);
      if (found.length > 0) exchange.token[DETAILS] = found;
    },

    respond(exchange, token) {
      verifyAnswered(exchange, token);
      const said = describedDetails({ ...exchange.token, ...token });
      if (said.length > 0) exchange.answer[DETAILS] = said;
    },

    describe(token) {
      const said = describedDetails(token);
      return said.length > 0 ? { [DETAILS]: said } : undefined;
    },
  };
}

const kept = (details: readonly AuthorizationDetail[]) => ({ [DETAILS]: details.length > 0 ? details : undefined });

/** What a token is issued for: what was granted before, or the part of it that is named; else what the host allows. RFC 9396 §6 */
async function established(exchange: ClientRequest, details: KnownDetails): Promise<readonly AuthorizationDetail[]> {
  const { authorization, parameters, client, options } = exchange;
  const model: AuthorizationDetailsModel & typeof options.model = options.model;
  const asked = readDetails(parameters);
  if (asked) details.verify(asked, client);
  const granted = grantedDetails(exchange);
  if (asked && !granted && !model.validateAuthorizationDetails) {
    throw invalid('what no user has agreed to is allowed by `validateAuthorizationDetails()` of the model');
  }
  const wanted = granted ? wantedOf(asked, granted, details) : (asked ?? []);
  if (wanted.length === 0) return [];
  // Nobody has judged here what another server says.
  if (exchange.asserted) details.verify(wanted, client);
  // A client that asked for less keeps the right to the rest.
  if (asked && granted && authorization!.refreshable) exchange.token['refreshTokenDetails'] = granted;
  return await details.approve(wanted, authorization!, model);
}

function wantedOf(
  asked: readonly AuthorizationDetail[] | undefined,
  granted: readonly AuthorizationDetail[],
  details: KnownDetails,
): readonly AuthorizationDetail[] {
  if (asked) return details.narrow(asked, granted);
  const left = details.remaining(granted);
  if (left.length > 0 || granted.length === 0) return left;
  throw invalid('of the details that were granted, one at least is of a type that is known still');
}

function* faultsOf(options: AuthorizationDetailsOptions): Iterable<string> {
  const misspelt = unknownOption(options ?? {}, { types: true }, '`authorizationDetails()`');
  if (misspelt !== undefined) yield misspelt;
  yield* typeFaults(options?.types);
}

const PARAMETER = { authorization_details: 'What the client wants to do, as a list of objects in JSON.' };
