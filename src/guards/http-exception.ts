import {
  BadRequestException,
  ForbiddenException,
  HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import { errorMembers } from '../../lib/adapter/index.js';
import type { OAuthError } from '../../lib/index.js';

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
  const members = errorMembers(failure);
  const body = { statusCode: status, message: members.error_description, ...members };
  return Named ? new Named(body, { cause }) : new HttpException(body, status, { cause });
}
