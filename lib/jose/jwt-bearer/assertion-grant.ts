import { InvalidScopeError, ServerError } from '../../errors/index.js';
import { GrantType } from '../../endpoints/token/grant-type.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { Request } from '../../http/request.js';
import type { Client, OnceModel, Token } from '../../model/model.js';
import type { Authorization } from '../../contracts/authorization.js';
import { redeem } from '../../tokens/issue-token.js';
import { requestedScope, withinScope } from '../../tokens/scope.js';
import type { AssertedUserModel } from '../trusted-issuers/asserted-model.js';
import { type Assertion, type Assertions, refused } from './assertions.js';

export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Somebody whom this server trusts says who the user is. RFC 7523 §2.1 */
export abstract class JwtBearerGrantType extends GrantType<AssertedUserModel & OnceModel> {
  static readonly requires: readonly string[] = ['findAssertedUser', 'once'];
  protected abstract readonly assertions: Assertions;

  async handle(request: Request, client: Client): Promise<Token> {
    const { assertions, model } = this;
    const exchange = this.options.exchange!;
    assertions.verifyProven(exchange);
    const text = exchange.parameters.required('assertion', isVSCHAR);
    const scope = requestedScope(request);
    const assertion = await assertions.read(text, exchange);
    const { claims, once } = assertion;
    const user = await model.findAssertedUser(claims, client);
    if (!user)
      throw refused({ rule: '`findAssertedUser()` knows whom it is about', given: `${claims.iss} ${claims.sub}` });
    if (typeof user !== 'object') throw new ServerError('Server error: `findAssertedUser()` must return a user object');

    const { refreshTokens: refreshable, reusable } = assertions.settings;
    exchange.asserted = { claims, granted: assertion.resource, details: assertion.details };
    const authorization = { client, user, ...scopeWithin(assertion, scope), refreshable };
    if (reusable) return await this.issueToken(authorization);
    return await redeem(this.options, authorization, {
      spend: () => model.once(once.digest, once.seconds),
      lost: () => Promise.reject(refused({ rule: 'an assertion is good once' })),
    });
  }
}

type Scoped = Pick<Authorization, 'scope' | 'scopeStatus'>;

/** What both name; what the assertion says is the most that there is. ID-JAG §4.4.1 */
function scopeWithin({ scope: most, details }: Assertion, asked: string | undefined): Scoped {
  if (most === undefined && !details) return asked === undefined ? {} : { scope: asked };
  // What says by details what is granted says no scope beside them, and the model would add one.
  if (most === undefined && asked === undefined) return { scopeStatus: 'approved' };
  const scope = asked === undefined ? most : (withinScope(asked, most) as string | undefined);
  if (scope !== undefined) return { scope, scopeStatus: 'consented' };
  const detail = { rule: 'the assertion has some of the scope', wanted: most, given: asked };
  throw new InvalidScopeError('Invalid scope: the assertion has nothing of it').because(detail);
}
