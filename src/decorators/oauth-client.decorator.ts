import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { findToken } from '../guards/execution-context.js';
import type { ParameterPipe } from './parameter-pipe.js';

/**
 * Injects the client that the access token was issued to, or one property of the client: `@OAuthClient('id')`.
 * `undefined` if the request has no verified token. RFC 6750
 */
export const OAuthClient: (property?: string | ParameterPipe, ...pipes: ParameterPipe[]) => ParameterDecorator =
  createParamDecorator((property: string | undefined, context: ExecutionContext): unknown => {
    const client: Record<string, unknown> | undefined = findToken(context, '@OAuthClient()')?.client as never;
    return property === undefined ? client : client?.[property];
  });
