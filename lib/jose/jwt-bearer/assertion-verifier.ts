import { hash } from 'node:crypto';
import { InvalidGrantError, type RefusalDetail, UnauthorizedClientError } from '../../errors/index.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import type { ServerContext } from '../../contracts/feature.js';
import { verifyDetails } from '../../features/authorization-details/read-details.js';
import { isForbidden } from '../../contracts/forbidden-parts.js';
import { isScope } from '../../http/syntax.js';
import type { Model } from '../../model/model.js';
import { isResource } from '../../tokens/audience.js';
import type { AuthorizationDetail } from '../../contracts/authorization-details.js';
import { matchesConfirmation } from '../../tokens/confirmation.js';
import { MAX_SCOPE_LENGTH } from '../../tokens/scope.js';
import { ModelIssuers } from '../trusted-issuers/model-issuers.js';
import { isOnlyFor, loggableAudience, type TrustedJwt, TrustedIssuers } from '../trusted-issuers/trusted-issuers.js';
import { type AssertionIssuer, type JwtBearerOptions, type JwtBearerSettings, settle } from './options.js';
import type { TrustedIssuerModel } from './trusted-issuer-model.js';

type Claims = TrustedJwt<AssertionIssuer>['claims'];

/** What an assertion entitles to. */
export interface Assertion {
  claims: Claims & { sub: string };
  /** The most that may be granted; left out: the assertion does not say. */
  scope?: string;
  /** The resources that it is for; none: it does not say. RFC 8707 §2 */
  resource: readonly string[];
  /** What the client may do at most; undefined: it does not say. RFC 9396 §2 */
  details?: readonly AuthorizationDetail[] | undefined;
  /** By what it is remembered, and for how many seconds. */
  singleUse: { digest: string; seconds: number };
}

/** What `typ` an assertion may have: what means something else is none. RFC 8725 §3.11, draft-ietf-oauth-rfc7523bis */
const TYPES = { jwt: ['', 'jwt', 'authorization-grant+jwt'], 'id-jag': ['oauth-id-jag+jwt'] } as const;

/** Resources that one assertion may name. */
const MAX_RESOURCES = 32;

/** An assertion that is no good: what is wrong with it, only the operator hears. RFC 7521 §4.1.1 */
export const invalidAssertion = (detail: RefusalDetail) =>
  new InvalidGrantError('Invalid grant: the assertion is not accepted').because(detail);

/** Judges assertions. RFC 7523 §3 */
export class AssertionVerifier {
  readonly settings: JwtBearerSettings;
  readonly issuers: TrustedIssuers<AssertionIssuer>;
  private readonly modelIssuers: ModelIssuers;

  /** @throws InvalidArgumentError with a sentence for what cannot work */
  constructor(options: JwtBearerOptions) {
    this.settings = settle(options);
    const { clockTolerance, issuers } = this.settings;
    this.issuers = new TrustedIssuers('`jwtBearer()`', issuers, clockTolerance);
    this.modelIssuers = new ModelIssuers('`jwtBearer()`', options?.fetch);
  }

  /** @throws UnauthorizedClientError for one without proof. ID-JAG §8.1 */
  verifyClientAuthenticated({ authenticationMethod: proof }: ClientRequest): void {
    if (proof !== 'none' || this.settings.clients === 'all') return;
    const reason = 'a client proves who it is before it redeems an assertion';
    throw new UnauthorizedClientError('Unauthorized client: `grant_type` is invalid').because({ reason });
  }

  /**
   * Reads and verifies an assertion.
   * @param features the features of the server: a profile may forbid algorithms
   * @throws InvalidGrantError If the assertion is invalid, for whatever reason.
   */
  async read(text: string, request: ClientRequest, features: ServerContext['features']): Promise<Assertion> {
    const model: Model & TrustedIssuerModel = request.options.model;
    const { client } = request;
    const elsewhere = model.findTrustedIssuer && {
      find: (name: string) => model.findTrustedIssuer!(name, client),
      allows: (alg: string) => !isForbidden(features, 'algorithms', alg),
      found: this.modelIssuers,
    };
    const { claims, typ, issuer } = await this.issuers.verify(text, invalidAssertion, elsewhere);
    if (claims.iss === request.issuer) throw invalidAssertion({ reason: 'it is of another server' });
    const { profile = 'jwt' } = issuer;
    const types: readonly string[] = TYPES[profile];
    if (!types.includes(typ))
      throw invalidAssertion({ reason: '`typ` says that it is such an assertion', expected: types, given: typ });
    this.verifyAudience(claims, profile, request);
    this.verifyLifetime(claims);
    verifyBinding(claims, request);
    const said = profile === 'id-jag' ? readIdentityAssertion(claims, request) : { resource: [] };
    return { claims: claims as Assertion['claims'], ...said, singleUse: this.singleUseOf(text, claims) };
  }

  private verifyAudience(claims: Claims, profile: 'jwt' | 'id-jag', { issuer }: ClientRequest): void {
    const { audiences } = this.settings;
    const wanted = [...(issuer === undefined ? [] : [issuer]), ...(profile === 'jwt' ? audiences : [])];
    if (isOnlyFor(claims, wanted)) return;
    throw invalidAssertion({
      reason: 'it is for this server, and for nobody else',
      expected: wanted,
      given: loggableAudience(claims),
    });
  }

  private verifyLifetime({ exp }: Claims): void {
    const { clockTolerance, maxLifetime } = this.settings;
    const left = exp - Date.now() / 1000;
    if (left <= maxLifetime + clockTolerance) return;
    throw invalidAssertion({
      reason: 'an assertion lives for so many seconds at most',
      expected: maxLifetime,
      given: left,
    });
  }

  /** One without `jti` is told from others by all that is signed: a signature may be written in more than one way. */
  private singleUseOf(text: string, { iss, jti, exp }: Claims): Assertion['singleUse'] {
    const name = typeof jti === 'string' && jti !== '' ? jti : text.slice(0, text.lastIndexOf('.'));
    const digest = hash('sha256', JSON.stringify(['assertion', iss, name]), 'base64url');
    // By whichever clock it is remembered, it is for longer than this one lets it live.
    return { digest, seconds: Math.ceil(exp - Date.now() / 1000) + 2 * this.settings.clockTolerance + 1 };
  }
}

/** What is bound to a key is good for nobody who has not shown that very key with this request. RFC 7800 §3, ID-JAG §8.6.1 */
function verifyBinding({ cnf }: Claims, { tokenMembers: token }: ClientRequest): void {
  if (matchesConfirmation(cnf, token['cnf'])) return;
  throw invalidAssertion({ reason: 'it is bound to no key, or to the one that the request shows' });
}

/** What an identity assertion says to this client. ID-JAG §3.1, §4.4.1 */
function readIdentityAssertion(
  claims: Claims,
  { client }: ClientRequest,
): Pick<Assertion, 'scope' | 'resource' | 'details'> {
  const { client_id: clientId, jti, iat, scope } = claims;
  if (typeof clientId !== 'string' || clientId !== client.id) {
    throw invalidAssertion({ reason: 'it names the client that brings it', expected: clientId, given: client.id });
  }
  if (typeof jti !== 'string' || jti === '' || iat === undefined)
    throw invalidAssertion({ reason: 'it has a `jti` and an `iat`' });
  const isSaid = typeof scope === 'string' && scope.length <= MAX_SCOPE_LENGTH && isScope(scope);
  if (scope !== undefined && !isSaid) throw invalidAssertion({ reason: '`scope` is one' });
  // One that says by a scope what may be done says no more than that.
  const details = detailsIn(claims) ?? (isSaid ? [] : undefined);
  return { ...(isSaid && { scope }), resource: resourcesOf(claims), details };
}

function detailsIn({ authorization_details: details }: Claims): Assertion['details'] {
  try {
    return details === undefined ? undefined : verifyDetails(details);
  } catch {
    throw invalidAssertion({ reason: '`authorization_details` is a list of them' });
  }
}

function resourcesOf({ resource = [] }: Claims): readonly string[] {
  const uris: readonly unknown[] = [resource].flat();
  const isGood = uris.length <= MAX_RESOURCES && uris.every((uri) => typeof uri === 'string' && isResource(uri));
  if (isGood) return uris as readonly string[];
  throw invalidAssertion({ reason: '`resource` is an absolute URI, or a list of them' });
}
