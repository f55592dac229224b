import type { ExecutionContext } from '@nestjs/common';
import { InvalidArgumentError, type Token } from '../../lib/index.js';
import { readAccessRequirements } from './access-requirements.js';
import { findTransport } from './transports/find-transport.js';

/**
 * The token that the guard found, for a decorator; undefined on a `@Public()` route.
 * @throws InvalidArgumentError where no guard has looked for one: nobody would be anybody there
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
    'put `@UseGuards(OAuthGuard)` on the method or its controller, or `@Public()` where nobody need sign in';
  throw new InvalidArgumentError(
    `Invalid argument: ${decorator} of ${route} finds no token, for no guard has run: ${remedy}`,
  );
}
