import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { findToken } from '../guards/execution-context.js';

/** The access token that `OAuthGuard` found, as the model returned it; undefined on a `@Public()` route. RFC 6750 */
export const AccessToken = createParamDecorator((_data: unknown, context: ExecutionContext) => findToken(context));
