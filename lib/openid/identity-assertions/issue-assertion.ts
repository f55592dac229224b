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

/** Of whom an assertion may be: who signed in, or whose grant it is. An access token says neither to its client. ID-JAG §4.3 */
const SUBJECTS: readonly string[] = [ID_TOKEN, SAML2, REFRESH_TOKEN];

/** How they are made. */
interface IssuanceSettings {
  server: ServerContext;
  /** Seconds. */
  lifetime: number;
  alg: SigningAlgorithm | undefined;
}

/** Issues an identity assertion, if the host lets the client have it. ID-JAG §3.1, §4.3.3 */
export async function issueAssertion(
  asked: Omit<ExchangeRequest, 'resource'>,
  clientRequest: ClientRequest,
  { server, lifetime, alg }: IssuanceSettings,
): Promise<IssuedToken> {
  verifyRequest(asked);
  const audience = readAudience(clientRequest);
  const details = readDetails(clientRequest.parameters);
  const request: AssertionRequest = {
    ...asked,
    audience,
    resource: requestedResources(clientRequest.parameters),
    ...(details && { authorizationDetails: details }),
  };
  const model = clientRequest.options.model as Model & IdentityAssertionModel;
  const answer = await model.mayAssert(request);
  if (!answer) throw invalidTarget('`mayAssert()` of the model lets the client have it', audience);

  const permission = answer === true ? {} : answer;
  const granted = details && grantedDetails(answer === true ? details : answer.authorizationDetails, details);
  if (granted) clientRequest.responseMembers[DETAILS] = granted;
  const ends = [Date.now() + lifetime * 1000, asked.subject.expiresAt, asked.actor?.expiresAt];
  const exp = Math.floor(Math.min(...ends.filter((end) => end !== undefined).map(Number)) / 1000);
  const claims = {
    ...claimsOf(request, permission, { clientRequest, server }),
    [DETAILS]: granted?.length ? granted : undefined,
    exp,
  };
  const value = await signJwt(findKeys(server)!, claims, { typ: 'oauth-id-jag+jwt', alg });
  return { value, expiresAt: new Date(exp * 1000), ...(claims.scope !== undefined && { scope: claims.scope }) };
}

/** What of them the host grants. ID-JAG §4.3.3 */
function grantedDetails(
  given: AssertionPermission['authorizationDetails'] = [],
  asked: readonly AuthorizationDetail[],
) {
  if (!Array.isArray(given))
    throw new ServerError('Server error: `authorizationDetails` of `mayAssert()` must be a list');
  return given.length > 0 ? detailsFromApplication(given, asked) : [];
}

/** A client that proves who it is, with what says who the user is. ID-JAG §4.3, §8.1 */
function verifyRequest({ proof, subject }: Omit<ExchangeRequest, 'resource'>): void {
  if (proof === 'none') {
    const reason = 'a client proves who it is before it has an identity assertion';
    throw new UnauthorizedClientError('Unauthorized client: `requested_token_type` is not for it').because({ reason });
  }
  if (SUBJECTS.includes(subject.type)) return;
  const detail = { reason: 'the subject token is of such a type', expected: SUBJECTS, given: subject.type };
  throw new InvalidRequestError('Invalid parameter: `subject_token_type`').because(detail);
}

/** One other server. What is for this one is an access token, and no assertion. ID-JAG §4.3, §8.3 */
function readAudience({ parameters, issuer }: ClientRequest): string {
  const audience = parameters.required(
    'audience',
    (text) => text.length <= MAX_AUDIENCE_LENGTH && /^[\x21-\x7e]+$/.test(text),
  );
  if (issuer !== undefined && isAmong(audience, [issuer]))
    throw invalidTarget('the audience is another server', audience);
  return audience;
}

/** Characters of an audience. */
const MAX_AUDIENCE_LENGTH = 2000;

function invalidTarget(reason: string, given: string): InvalidTargetError {
  const error = new InvalidTargetError('Invalid target: no identity assertion is issued for `audience`');
  return error.because({ reason, given: shortText(given) });
}

/** What it says. What the host adds never stands in place of it. */
function claimsOf(
  asked: AssertionRequest,
  permission: AssertionPermission,
  { clientRequest, server }: { clientRequest: ClientRequest; server: ServerContext },
) {
  const { act, client, subject } = asked;
  const { issuer, tokenMembers: token } = clientRequest;
  const { relyingParty = client, resource = asked.resource } = permission;
  if (!Array.isArray(resource)) throw new ServerError('Server error: `resource` of `mayAssert()` must be a list');
  const { sid: _ofThisServer, ...signed } = readSignInClaims(subject.allClaims ?? {});
  return {
    ...permission.claims,
    ...signed,
    iss: issuer,
    sub: subjectFor(relyingParty, asked, server),
    aud: permission.audience ?? asked.audience,
    client_id: permission.clientId ?? client.id,
    iat: Math.floor(Date.now() / 1000),
    nbf: undefined,
    jti: newGrantId(),
    scope: scopeText('scope' in permission ? permission.scope : asked.scope),
    resource: resource.length > 1 ? resource : resource[0],
    act,
    cnf: token['cnf'],
  };
}

/** Returns the `sub` of the user at the relying party: as its ID token has it, or as the refresh token stores it. ID-JAG §3.1 */
function subjectFor(relyingParty: CoreClient, { client, subject }: AssertionRequest, server: ServerContext): string {
  const openid = server.find(OPENID)!;
  const said = subject.allClaims?.['sub'];
  if (typeof said === 'string' && openid.isKnownAs(subject.user, relyingParty, said)) return said;
  return openid.subjectOf(subject.user, relyingParty, relyingParty.id === client.id ? subject.token : undefined);
}
