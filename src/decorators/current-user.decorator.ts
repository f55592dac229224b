import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { findToken } from '../guards/execution-context.js';
import type { ParameterPipe } from './parameter-pipe.js';

/** The user of the access token that `OAuthGuard` found, or one property of it: `@CurrentUser('id')`. RFC 6750 */
export const CurrentUser: (property?: string | ParameterPipe, ...pipes: ParameterPipe[]) => ParameterDecorator =
  createParamDecorator((property: string | undefined, context: ExecutionContext): unknown => {
    const user = findToken(context, '@CurrentUser()')?.user;
    return property === undefined ? user : user?.[property];
  });
