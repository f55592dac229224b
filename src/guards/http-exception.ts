import {
  BadRequestException,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import { errorResponse } from '../../lib/http/error-response.js';
import type { OAuthError } from '../../lib/index.js';
import { stepUpOf } from '../../lib/endpoints/resource/user-authentication.js';

/** The exceptions that filters of a host are written for. */
const NAMED = new Map([
  [400, BadRequestException],
  [401, UnauthorizedException],
  [403, ForbiddenException],
  [500, InternalServerErrorException],
  [503, ServiceUnavailableException],
]);

/**
 * A failure as Nest knows it. Its response has the members of every exception of Nest, `statusCode` and `message`, since
 * filters, Apollo among them, look for those, beside `error` and `error_description`. RFC 6750 §3.1
 */
export function toHttpException(failure: OAuthError, cause: unknown): HttpException {
  const { status } = failure;
  const Named = NAMED.get(status);
  const said = errorResponse(failure);
  const body = { statusCode: status, message: said.error_description, ...said, ...stepUpOf(failure) };
  return Named ? new Named(body, { cause }) : new HttpException(body, status, { cause });
}
