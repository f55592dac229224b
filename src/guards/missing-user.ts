import type { ExecutionContext } from '@nestjs/common';

import { noAuthentication, userRequiredError } from '../../lib/internal.js';
import { InvalidArgumentError, isClientItself, Response, type Token } from '../../lib/index.js';
import { readAccessRequirements } from './access-requirements.js';
import { findTransport } from './transports/find-transport.js';

/**
 * Returns `undefined` for a `@CurrentUser()` parameter without a value, if the route has `@OptionalAuth()`. Otherwise it
 * rejects the request. The guard has already rejected most of these requests. It does not guard the fields of a GraphQL
 * object, and a derived guard may accept requests that it would reject.
 * @throws {InvalidArgumentError} If the user has no such property, or the route is public.
 */
export function rejectMissingUser(
  context: ExecutionContext,
  token: Token | undefined,
  property: string | undefined,
): Promise<never> | undefined {
  const { isPublic, optional } = readAccessRequirements(context.getHandler(), context.getClass(), () => false);
  if (optional) return undefined;
  const route = `${context.getClass().name}.${context.getHandler().name}()`;
  if (!token && isPublic) throw new InvalidArgumentError(`Invalid argument: ${publicRouteError(route)}`);
  if (token && !isClientItself(token.user)) {
    const remedy = 'pass `{ optional: true }` if the property may be missing';
    throw new InvalidArgumentError(
      `Invalid argument: @CurrentUser('${property}') of ${route} finds no property \`${property}\` in the user of the token: ${remedy}`,
    );
  }
  const error = token ? userRequiredError() : noAuthentication();
  const exception = findTransport(context).toException(error, { response: new Response(), cause: error }, context);
  if (!(exception instanceof Promise)) throw exception;
  return exception.then((made) => {
    throw made;
  });
}

/** Returns the error message of a public route with a `@CurrentUser()` that requires a user. */
export const publicRouteError = (route: string): string =>
  `@CurrentUser() of ${route} is always undefined, because the route is @Public(): replace @Public() by @OptionalAuth(), or pass \`{ optional: true }\``;
