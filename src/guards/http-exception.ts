import {
  BadRequestException,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import { errorResponse } from '../../lib/errors.js';
import type { OAuthError } from '../../lib/index.js';

/** The exceptions that filters of a host are written for. */
const NAMED = new Map([
  [400, BadRequestException],
  [401, UnauthorizedException],
  [403, ForbiddenException],
  [500, InternalServerErrorException],
  [503, ServiceUnavailableException],
]);

/** A failure as Nest knows it: `{ error, error_description }` is its response. RFC 6750 §3.1 */
export function toHttpException(failure: OAuthError, cause: unknown): HttpException {
  const Named = NAMED.get(failure.status);
  const body = errorResponse(failure);
  return Named ? new Named(body, { cause }) : new HttpException(body, failure.status, { cause });
}
