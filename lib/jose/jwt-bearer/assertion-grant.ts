import { InvalidScopeError, ServerError } from '../../errors/index.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { Model, OnceModel, Token } from '../../model/model.js';
import type { Authorization } from '../../contracts/authorization.js';
import { stateKey } from '../../contracts/client-request.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { GrantHandler, TokenRequest } from '../../contracts/token-request.js';
import { requestedScope, withinScope } from '../../tokens/scope.js';
import type { AssertedUserModel } from '../trusted-issuers/asserted-model.js';
import { type Assertion, type AssertionVerifier, invalidAssertion } from './assertion-verifier.js';

export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The model methods that the JWT bearer grant requires. */
export const ASSERTION_METHODS: readonly (keyof (AssertedUserModel & OnceModel))[] = ['findAssertedUser', 'once'];

/** The state key under which a client request stores its verified assertion. */
export const ASSERTION = stateKey<Assertion>('ASSERTION');

/** Returns the grant handler of the JWT bearer grant, which redeems assertions of trusted issuers. RFC 7523 §2.1 */
export const assertionGrant = (assertions: AssertionVerifier, serverOf: () => ServerContext): GrantHandler =>
  Object.assign((request: TokenRequest) => redeemAssertion(request, assertions, serverOf()), {
    requires: [...ASSERTION_METHODS, 'saveToken'],
  });

async function redeemAssertion(
  request: TokenRequest,
  assertions: AssertionVerifier,
  server: ServerContext,
): Promise<Token> {
  const { client, parameters } = request;
  const model = request.options.model as Model & AssertedUserModel & OnceModel;
  assertions.verifyClientAuthenticated(request);
  const text = parameters.required('assertion', isVSCHAR);
  const scope = requestedScope(request.request);
  const assertion = await assertions.read(text, request, server);
  const { claims, singleUse, resource, details } = assertion;
  const user = await model.findAssertedUser(claims, client);
  if (!user)
    throw invalidAssertion({
      reason: '`findAssertedUser()` returned no user for the assertion',
      given: `${claims.iss} ${claims.sub}`,
    });
  if (typeof user !== 'object') throw new ServerError('Server error: `findAssertedUser()` must return a user object');

  const { refreshTokens: refreshable, reusable } = assertions.settings;
  request.source = { resources: resource, details, isExternal: true };
  request.set(ASSERTION, assertion);
  const authorization = { client, user, ...grantedScope(assertion, scope), refreshable };
  if (reusable) return await request.issue(authorization);
  return await request.redeem(authorization, {
    consume: () => model.once(singleUse.digest, singleUse.seconds),
    handleReplay: () => Promise.reject(invalidAssertion({ reason: 'assertion was already used' })),
  });
}

type Scoped = Pick<Authorization, 'scope' | 'scopeStatus'>;

/**
 * Returns the scope to grant: the part of the requested scope that the assertion contains or, if no scope is requested,
 * the scope of the assertion. An assertion without scope and authorization details sets no limit. ID-JAG §4.4.1
 * @throws {InvalidScopeError} If the assertion contains nothing of the requested scope.
 */
function grantedScope({ scope: maxScope, details }: Assertion, requested: string | undefined): Scoped {
  if (maxScope === undefined && !details) return requested === undefined ? {} : { scope: requested };
  // The authorization details express the whole grant. Approve an empty scope, so that the model adds no default scope.
  if (maxScope === undefined && requested === undefined) return { scopeStatus: 'approved' };
  const scope = requested === undefined ? maxScope : (withinScope(requested, maxScope) as string | undefined);
  if (scope !== undefined) return { scope, scopeStatus: 'consented' };
  const detail = { reason: 'assertion contains nothing of the requested scope', expected: maxScope, given: requested };
  throw new InvalidScopeError('Invalid scope: the assertion contains nothing of the requested scope').because(detail);
}
