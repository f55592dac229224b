import { hash } from 'node:crypto';
import { InvalidGrantError, type RefusalDetail, UnauthorizedClientError } from '../../errors/index.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import type { ServerContext } from '../../contracts/feature.js';
import { shortText } from '../../events/events.js';
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
import { ASSERTED_RESOURCES } from './asserted-resources.js';
import type { TrustedIssuerModel } from './trusted-issuer-model.js';

type Claims = TrustedJwt<AssertionIssuer>['claims'];

/** A verified assertion, with the limits that it sets for the token. */
export interface Assertion {
  claims: Claims & { sub: string };
  /** The maximum scope of the token. If omitted, the assertion contains no scope. */
  scope?: string;
  /** The resources that the assertion is for. If empty, the assertion specifies none. RFC 8707 §2 */
  resource: readonly string[];
  /** The maximum authorization details of the token. If `undefined`, the assertion does not limit them. RFC 9396 §2 */
  details?: readonly AuthorizationDetail[] | undefined;
  /**
   * For replay detection: the digest that identifies the assertion, and the seconds for which it must be remembered.
   */
  singleUse: { digest: string; seconds: number };
}

/**
 * The accepted `typ` headers of each profile. A JWT with another `typ` has another purpose. RFC 8725 §3.11,
 * draft-ietf-oauth-rfc7523bis
 */
const TYPES = { jwt: ['', 'jwt', 'authorization-grant+jwt'], 'id-jag': ['oauth-id-jag+jwt'] } as const;

/** Maximum number of resources in one assertion. */
const MAX_RESOURCES = 32;

/**
 * Returns the error for an assertion that is not accepted. The details are logged but not sent to the client.
 * RFC 7521 §4.1.1
 */
export const invalidAssertion = (detail: RefusalDetail) =>
  new InvalidGrantError('Invalid grant: the assertion is not accepted').because(detail);

/** The verifier of assertions of trusted issuers. RFC 7523 §3 */
export class AssertionVerifier {
  readonly settings: JwtBearerSettings;
  readonly issuers: TrustedIssuers<AssertionIssuer>;
  private readonly modelIssuers: ModelIssuers;

  /** @throws {InvalidArgumentError} If an option is invalid. */
  constructor(options: JwtBearerOptions) {
    this.settings = settle(options);
    const { clockTolerance, issuers } = this.settings;
    this.issuers = new TrustedIssuers('`jwtBearer()`', issuers, clockTolerance);
    this.modelIssuers = new ModelIssuers('`jwtBearer()`', options?.fetch);
  }

  /**
   * Verifies that the client is authenticated, unless the option `clients` allows others. ID-JAG §8.1
   * @throws {UnauthorizedClientError} If the client is not authenticated.
   */
  verifyClientAuthenticated({ authenticationMethod, client }: ClientRequest): void {
    const { clients } = this.settings;
    if (authenticationMethod !== 'none' || clients === 'all') return;
    if (clients === 'documents' && client.clientIdHost !== undefined) return;
    const reason = 'client is not authenticated, so it must not redeem an assertion';
    throw new UnauthorizedClientError(
      'Unauthorized client: the client must authenticate to use this `grant_type`',
    ).because({ reason, remedy: "authenticate the client, or set `clients: 'all'` of `jwtBearer()`" });
  }

  /**
   * Reads and verifies an assertion.
   * @param server Its profiles may forbid algorithms, or limit the resources of identity assertions.
   * @throws {InvalidGrantError} If the assertion is invalid for any reason.
   */
  async read(text: string, request: ClientRequest, server: ServerContext): Promise<Assertion> {
    const model: Model & TrustedIssuerModel = request.options.model;
    const { client } = request;
    const lookup = model.findTrustedIssuer && {
      find: (name: string) => model.findTrustedIssuer!(name, client),
      allows: (alg: string) => !isForbidden(server.features, 'algorithms', alg),
      issuers: this.modelIssuers,
    };
    const { claims, typ, issuer } = await this.issuers.verify(text, invalidAssertion, lookup);
    if (claims.iss === request.issuer) throw invalidAssertion({ reason: 'assertion was issued by this server itself' });
    const { profile = 'jwt' } = issuer;
    const types: readonly string[] = TYPES[profile];
    if (!types.includes(typ))
      throw invalidAssertion({ reason: '`typ` of the assertion is not accepted', expected: types, given: typ });
    this.verifyAudience(claims, profile, request);
    verifyTenant(claims, issuer);
    this.verifyLifetime(claims);
    verifyBinding(claims, request);
    const contents = profile === 'id-jag' ? readIdentityAssertion(claims, request) : { resource: [] };
    const assertion = { claims: claims as Assertion['claims'], ...contents, singleUse: this.singleUseOf(text, claims) };
    return profile === 'id-jag' ? withinResources(assertion, server) : assertion;
  }

  private verifyAudience(claims: Claims, profile: 'jwt' | 'id-jag', { issuer }: ClientRequest): void {
    const { audiences } = this.settings;
    const accepted = [...(issuer === undefined ? [] : [issuer]), ...(profile === 'jwt' ? audiences : [])];
    if (isOnlyFor(claims, accepted)) return;
    throw invalidAssertion({
      reason: 'assertion has another audience than this server, or several audiences',
      expected: accepted,
      given: loggableAudience(claims),
    });
  }

  private verifyLifetime({ exp }: Claims): void {
    const { clockTolerance, maxLifetime } = this.settings;
    const secondsLeft = exp - Date.now() / 1000;
    if (secondsLeft <= maxLifetime + clockTolerance) return;
    throw invalidAssertion({
      reason: 'assertion expires later than `maxLifetime` allows',
      expected: maxLifetime,
      given: secondsLeft,
    });
  }

  /**
   * Returns what identifies an assertion for replay detection. Without a `jti`, it is derived from the signed content,
   * because the same signature can be encoded in several ways.
   */
  private singleUseOf(text: string, { iss, jti, exp }: Claims): Assertion['singleUse'] {
    const name = typeof jti === 'string' && jti !== '' ? jti : text.slice(0, text.lastIndexOf('.'));
    const digest = hash('sha256', JSON.stringify(['assertion', iss, name]), 'base64url');
    // Remember the assertion longer than any process accepts it, despite clock skew.
    return { digest, seconds: Math.ceil(exp - Date.now() / 1000) + 2 * this.settings.clockTolerance + 1 };
  }
}

/**
 * Verifies the organization of the user at the issuer.
 * @throws {InvalidGrantError} If `tenants` of the issuer does not contain it. ID-JAG §6.1
 */
function verifyTenant({ tenant }: Claims, { tenants }: AssertionIssuer): void {
  if (tenants === undefined || tenants.includes(tenant as string)) return;
  throw invalidAssertion({
    reason: '`tenant` of the assertion is not one of the `tenants` of its issuer',
    expected: tenants,
    given: typeof tenant === 'string' ? shortText(tenant) : 'none',
  });
}

/**
 * If an assertion is bound to a key, verifies that the request proves possession of that key. RFC 7800 §3,
 * ID-JAG §8.6.1
 * @throws {InvalidGrantError} If the request does not prove possession of the key.
 */
function verifyBinding({ cnf }: Claims, { tokenMembers }: ClientRequest): void {
  if (matchesConfirmation(cnf, tokenMembers['cnf'])) return;
  throw invalidAssertion({ reason: 'assertion is bound to a key, but the request does not prove possession of it' });
}

/**
 * Reads the scope, resources and authorization details of an identity assertion. ID-JAG §3.1, §4.4.1
 * @throws {InvalidGrantError} If it was issued for another client, or a claim is missing or invalid.
 */
function readIdentityAssertion(
  claims: Claims,
  { client }: ClientRequest,
): Pick<Assertion, 'scope' | 'resource' | 'details'> {
  const { client_id: clientId, jti, iat, scope } = claims;
  if (typeof clientId !== 'string' || clientId !== client.id) {
    throw invalidAssertion({ reason: 'assertion was issued for another client', expected: clientId, given: client.id });
  }
  if (typeof jti !== 'string' || jti === '' || iat === undefined)
    throw invalidAssertion({ reason: 'assertion has no `jti` or no `iat`' });
  const isValidScope = typeof scope === 'string' && scope.length <= MAX_SCOPE_LENGTH && isScope(scope);
  if (scope !== undefined && !isValidScope) throw invalidAssertion({ reason: '`scope` of the assertion is invalid' });
  // An assertion that contains only a scope grants no authorization details.
  const details = detailsIn(claims) ?? (isValidScope ? [] : undefined);
  return { ...(isValidScope && { scope }), resource: resourcesOf(claims), details };
}

function detailsIn({ authorization_details: details }: Claims): Assertion['details'] {
  try {
    return details === undefined ? undefined : verifyDetails(details);
  } catch {
    throw invalidAssertion({ reason: '`authorization_details` of the assertion is invalid' });
  }
}

function resourcesOf({ resource = [] }: Claims): readonly string[] {
  const uris: readonly unknown[] = [resource].flat();
  const isValid = uris.length <= MAX_RESOURCES && uris.every((uri) => typeof uri === 'string' && isResource(uri));
  if (isValid) return uris as readonly string[];
  throw invalidAssertion({ reason: '`resource` of the assertion is not an absolute URI or a short list of them' });
}

/** Returns the assertion with the resources that the profiles of the server allow. */
function withinResources(assertion: Assertion, server: ServerContext): Assertion {
  const limit = server.find(ASSERTED_RESOURCES);
  if (!limit) return assertion;
  const resource = limit(assertion.resource);
  if (resource) return { ...assertion, resource };
  throw invalidAssertion({
    reason: '`resource` of the assertion is missing, or not a resource of this server',
    expected: server.resources,
    given: assertion.resource.map((uri) => shortText(uri)).join(' '),
  });
}
