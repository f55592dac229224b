import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidRequestError, InvalidTargetError, ServerError, UnauthorizedClientError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { detailsFromApplication, readDetails } from '../../features/authorization-details/read-details.js';
import type { ExchangeRequest } from '../../features/token-exchange/exchange-model.js';
import type { IssuedToken } from '../../features/token-exchange/other-tokens.js';
import { ID_TOKEN, REFRESH_TOKEN, SAML2 } from '../../features/token-exchange/token-types.js';
import { requestedResources } from '../../features/resource-indicators/requested-resources.js';
import type { SigningAlgorithm } from '../../jose/algorithms.js';
import { findKeys } from '../../jose/keys/find-keys.js';
import { signJwt } from '../../jose/keys/key-ring.js';
import type { CoreClient, Model } from '../../model/model.js';
import { type AuthorizationDetail, DETAILS } from '../../contracts/authorization-details.js';
import { isAmong } from '../../tokens/audience.js';
import { newGrantId } from '../../tokens/opaque.js';
import { scopeText } from '../../tokens/scope.js';
import { readSignInClaims } from '../../tokens/sign-in-claims.js';
import { OPENID } from '../openid-capability.js';
import type { AssertionPermission, AssertionRequest, IdentityAssertionModel } from './assertion-model.js';

/**
 * The accepted types of subject tokens. An access token is not one of them, because it does not identify the user to
 * the client. ID-JAG §4.3
 */
const SUBJECTS: readonly string[] = [ID_TOKEN, SAML2, REFRESH_TOKEN];

/** The settings with which identity assertions are issued. */
interface IssuanceSettings {
  server: ServerContext;
  /** Seconds for which an assertion is valid. */
  lifetime: number;
  alg: SigningAlgorithm | undefined;
}

/**
 * Issues an identity assertion, if the model allows it. ID-JAG §3.1, §4.3.3
 * @throws {InvalidTargetError} If the model does not allow it.
 */
export async function issueAssertion(
  requested: Omit<ExchangeRequest, 'resource'>,
  clientRequest: ClientRequest,
  { server, lifetime, alg }: IssuanceSettings,
): Promise<IssuedToken> {
  verifyRequest(requested);
  const audience = readAudience(clientRequest);
  const details = readDetails(clientRequest.parameters);
  const request: AssertionRequest = {
    ...requested,
    audience,
    resource: requestedResources(clientRequest.parameters),
    ...(details && { authorizationDetails: details }),
  };
  const model = clientRequest.options.model as Model & IdentityAssertionModel;
  const decision = await model.mayAssert(request);
  if (!decision) throw invalidTarget('`mayAssert()` did not allow the assertion', audience);

  const permission = decision === true ? {} : decision;
  const granted = details && grantedDetails(decision === true ? details : decision.authorizationDetails, details);
  if (granted) clientRequest.responseMembers[DETAILS] = granted;
  const expiries = [Date.now() + lifetime * 1000, requested.subject.expiresAt, requested.actor?.expiresAt];
  const exp = Math.floor(Math.min(...expiries.filter((end) => end !== undefined).map(Number)) / 1000);
  const claims = {
    ...claimsOf(request, permission, { clientRequest, server }),
    [DETAILS]: granted?.length ? granted : undefined,
    exp,
  };
  const value = await signJwt(findKeys(server)!, claims, { typ: 'oauth-id-jag+jwt', alg });
  return { value, expiresAt: new Date(exp * 1000), ...(claims.scope !== undefined && { scope: claims.scope }) };
}

/** Returns the authorization details that the model grants. ID-JAG §4.3.3 */
function grantedDetails(
  given: AssertionPermission['authorizationDetails'] = [],
  requested: readonly AuthorizationDetail[],
) {
  if (!Array.isArray(given))
    throw new ServerError('Server error: `authorizationDetails` of `mayAssert()` must be a list');
  return given.length > 0 ? detailsFromApplication(given, requested) : [];
}

/**
 * Verifies that the client is authenticated, and that its subject token identifies a user. ID-JAG §4.3, §8.1
 * @throws {UnauthorizedClientError} If the client is not authenticated.
 * @throws {InvalidRequestError} If the subject token has another type.
 */
function verifyRequest({ authenticationMethod, subject }: Omit<ExchangeRequest, 'resource'>): void {
  if (authenticationMethod === 'none') {
    const reason = 'client is not authenticated, so it must not get an identity assertion';
    throw new UnauthorizedClientError(
      'Unauthorized client: this client must not request an identity assertion',
    ).because({ reason });
  }
  if (SUBJECTS.includes(subject.type)) return;
  const detail = {
    reason: 'subject token type is not accepted for identity assertions',
    expected: SUBJECTS,
    given: subject.type,
  };
  throw new InvalidRequestError('Invalid parameter: `subject_token_type`').because(detail);
}

/**
 * Returns the parameter `audience`, which must be another server. For this server, a client requests an access token
 * instead. ID-JAG §4.3, §8.3
 */
function readAudience({ parameters, issuer }: ClientRequest): string {
  const audience = parameters.required(
    'audience',
    (text) => text.length <= MAX_AUDIENCE_LENGTH && /^[\x21-\x7e]+$/.test(text),
  );
  if (issuer !== undefined && isAmong(audience, [issuer]))
    throw invalidTarget('requested audience is this server itself', audience);
  return audience;
}

/** Maximum number of characters of an audience. */
const MAX_AUDIENCE_LENGTH = 2000;

function invalidTarget(reason: string, given: string): InvalidTargetError {
  const error = new InvalidTargetError('Invalid target: no identity assertion is issued for `audience`');
  return error.because({ reason, given: shortText(given) });
}

/** Returns the claims of an identity assertion. Claims of the model cannot replace those of the server. */
function claimsOf(
  requested: AssertionRequest,
  permission: AssertionPermission,
  { clientRequest, server }: { clientRequest: ClientRequest; server: ServerContext },
) {
  const { act, client, subject } = requested;
  const { issuer, tokenMembers } = clientRequest;
  const { relyingParty = client, resource = requested.resource } = permission;
  if (!Array.isArray(resource))
    throw new ServerError('Server error: `resource` in the result of `mayAssert()` must be a list');
  const { sid: _ofThisServer, ...signInClaims } = readSignInClaims(subject.allClaims ?? {});
  return {
    ...permission.claims,
    ...signInClaims,
    iss: issuer,
    sub: subjectFor(relyingParty, requested, server),
    aud: permission.audience ?? requested.audience,
    client_id: permission.clientId ?? client.id,
    iat: Math.floor(Date.now() / 1000),
    nbf: undefined,
    jti: newGrantId(),
    scope: scopeText('scope' in permission ? permission.scope : requested.scope),
    resource: resource.length > 1 ? resource : resource[0],
    act,
    cnf: tokenMembers['cnf'],
  };
}

/**
 * Returns the `sub` of the user at the relying party: as in its ID token, or as stored with the refresh token.
 * ID-JAG §3.1
 */
function subjectFor(relyingParty: CoreClient, { client, subject }: AssertionRequest, server: ServerContext): string {
  const openid = server.find(OPENID)!;
  const sub = subject.allClaims?.['sub'];
  if (typeof sub === 'string' && openid.isKnownAs(subject.user, relyingParty, sub)) return sub;
  return openid.subjectOf(subject.user, relyingParty, relyingParty.id === client.id ? subject.token : undefined);
}
