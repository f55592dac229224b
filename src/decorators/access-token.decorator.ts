import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { findToken } from '../guards/execution-context.js';
import type { ParameterPipe } from './parameter-pipe.js';

/**
 * Injects the access token that `OAuthGuard` verified, as the model returned it. `undefined` on a `@Public()` route,
 * and on an `@OptionalAuth()` route if the request has no token. RFC 6750
 */
export const AccessToken: (...pipes: ParameterPipe[]) => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => findToken(context, '@AccessToken()'),
);
