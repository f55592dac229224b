import type { ExecutionContext } from '@nestjs/common';
import { InvalidArgumentError, type Token } from '../../lib/index.js';
import { readAccessRequirements } from './access-requirements.js';
import { findTransport } from './transports/find-transport.js';

/**
 * Returns the access token that the guard verified, for a parameter decorator. `undefined` on a `@Public()` route, and
 * on an `@OptionalAuth()` route if the request has no token.
 * @throws {InvalidArgumentError} If no `OAuthGuard` guards the route: without one, no user would be authenticated.
 */
export function findToken(context: ExecutionContext, decorator: string): Token | undefined {
  const attached = findTransport(context).findAttachedToken(context);
  const handler = context.getHandler();
  if (
    attached.oauth2 ||
    'oauth2' in attached ||
    readAccessRequirements(handler, context.getClass(), () => false).isPublic
  ) {
    return attached.oauth2?.token;
  }
  const route = `${context.getClass().name}.${handler.name}()`;
  const remedy =
    'add `@UseGuards(OAuthGuard)` to the method or its controller, or `@Public()` if the route needs no login';
  throw new InvalidArgumentError(
    `Invalid argument: ${decorator} of ${route} finds no access token because OAuthGuard does not guard this route: ${remedy}`,
  );
}
