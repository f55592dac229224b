import {
  BadRequestException,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';

import { errorMembers } from '../../lib/internal.js';
import type { OAuthError } from '../../lib/index.js';

/** The exception classes of Nest by status, so that exception filters of the application can catch them. */
const NAMED = new Map([
  [400, BadRequestException],
  [401, UnauthorizedException],
  [403, ForbiddenException],
  [500, InternalServerErrorException],
  [503, ServiceUnavailableException],
]);

/**
 * Returns the `HttpException` for an OAuth error. In addition to `error` and `error_description`, its response has
 * `statusCode` and `message`, like all exceptions of Nest, because exception filters and Apollo read them.
 * RFC 6750 §3.1
 */
export function toHttpException(failure: OAuthError, cause: unknown): HttpException {
  const { status } = failure;
  const Named = NAMED.get(status);
  const members = errorMembers(failure);
  const body = { statusCode: status, message: members.error_description, ...members };
  return Named ? new Named(body, { cause }) : new HttpException(body, status, { cause });
}
