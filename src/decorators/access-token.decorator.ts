import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { findToken } from '../guards/execution-context.js';
import type { ParameterPipe } from './parameter-pipe.js';

/** The access token that `OAuthGuard` found, as the model returned it; undefined on a `@Public()` route. RFC 6750 */
export const AccessToken: (...pipes: ParameterPipe[]) => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => findToken(context, '@AccessToken()'),
);
