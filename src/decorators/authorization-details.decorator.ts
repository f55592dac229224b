import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

import { detailsOf } from '../../lib/internal.js';
import type { AuthorizationDetail } from '../../lib/index.js';
import { findToken } from '../guards/execution-context.js';
import type { ParameterPipe } from './parameter-pipe.js';

/**
 * Injects the authorization details of the access token that `OAuthGuard` verified, or only those of one type:
 * `@AuthorizationDetails('payment_initiation')`. The list is empty if there are none, or if the request has no token.
 * RFC 9396 §9
 */
export const AuthorizationDetails: (type?: string | ParameterPipe, ...pipes: ParameterPipe[]) => ParameterDecorator =
  createParamDecorator((type: string | undefined, context: ExecutionContext): readonly AuthorizationDetail[] => {
    const details = detailsOf(findToken(context, '@AuthorizationDetails()')?.['authorization_details' as never]);
    return type === undefined ? details : details.filter((one) => one.type === type);
  });
