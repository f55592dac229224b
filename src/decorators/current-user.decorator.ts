import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { isClientItself } from '../../lib/index.js';
import { findToken } from '../guards/execution-context.js';
import type { ParameterPipe } from './parameter-pipe.js';

/**
 * Injects the user of the access token that `OAuthGuard` verified, or one property of the user: `@CurrentUser('id')`.
 * `undefined` if the request has no verified token, and for a token of the client credentials grant, which has no user.
 * RFC 6750, RFC 9700 §4.15
 */
export const CurrentUser: (property?: string | ParameterPipe, ...pipes: ParameterPipe[]) => ParameterDecorator =
  createParamDecorator((property: string | undefined, context: ExecutionContext): unknown => {
    const tokenUser = findToken(context, '@CurrentUser()')?.user;
    const user = isClientItself(tokenUser) ? undefined : tokenUser;
    return property === undefined ? user : user?.[property];
  });
