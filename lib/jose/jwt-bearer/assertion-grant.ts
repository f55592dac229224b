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

/** Model methods that the grant needs. */
export const ASSERTION_METHODS: readonly (keyof (AssertedUserModel & OnceModel))[] = ['findAssertedUser', 'once'];

/** The assertion that is redeemed. It is set once the assertion is valid. */
export const ASSERTION = stateKey<Assertion>('ASSERTION');

/** Returns the grant that redeems assertions of trusted issuers. RFC 7523 §2.1 */
export const assertionGrant = (assertions: AssertionVerifier, serverOf: () => ServerContext): GrantHandler =>
  Object.assign((request: TokenRequest) => redeemAssertion(request, assertions, serverOf().features), {
    requires: [...ASSERTION_METHODS, 'saveToken'],
  });

async function redeemAssertion(
  request: TokenRequest,
  assertions: AssertionVerifier,
  features: ServerContext['features'],
): Promise<Token> {
  const { client, parameters } = request;
  const model = request.options.model as Model & AssertedUserModel & OnceModel;
  assertions.verifyClientAuthenticated(request);
  const text = parameters.required('assertion', isVSCHAR);
  const scope = requestedScope(request.request);
  const assertion = await assertions.read(text, request, features);
  const { claims, singleUse: once, resource, details } = assertion;
  const user = await model.findAssertedUser(claims, client);
  if (!user)
    throw invalidAssertion({
      reason: '`findAssertedUser()` knows whom it is about',
      given: `${claims.iss} ${claims.sub}`,
    });
  if (typeof user !== 'object') throw new ServerError('Server error: `findAssertedUser()` must return a user object');

  const { refreshTokens: refreshable, reusable } = assertions.settings;
  request.source = { resources: resource, details, isExternal: true };
  request.set(ASSERTION, assertion);
  const authorization = { client, user, ...grantedScope(assertion, scope), refreshable };
  if (reusable) return await request.issue(authorization);
  return await request.redeem(authorization, {
    consume: () => model.once(once.digest, once.seconds),
    handleReplay: () => Promise.reject(invalidAssertion({ reason: 'an assertion is good once' })),
  });
}

type Scoped = Pick<Authorization, 'scope' | 'scopeStatus'>;

/** What both name; what the assertion says is the most that there is. ID-JAG §4.4.1 */
function grantedScope({ scope: most, details }: Assertion, asked: string | undefined): Scoped {
  if (most === undefined && !details) return asked === undefined ? {} : { scope: asked };
  // What says by details what is granted says no scope beside them, and the model would add one.
  if (most === undefined && asked === undefined) return { scopeStatus: 'approved' };
  const scope = asked === undefined ? most : (withinScope(asked, most) as string | undefined);
  if (scope !== undefined) return { scope, scopeStatus: 'consented' };
  const detail = { reason: 'the assertion has some of the scope', expected: most, given: asked };
  throw new InvalidScopeError('Invalid scope: the assertion has nothing of it').because(detail);
}
