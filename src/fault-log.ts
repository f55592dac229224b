import { Logger } from '@nestjs/common';
import { isSignInUnderWay } from '../lib/endpoints/authorize-events.js';
import type { OAuthError } from '../lib/index.js';

const logger = new Logger('OAuth2');

/** Tells the operator what went wrong in the host's own code: the answer does not. */
export function logFault(error: OAuthError): void {
  if (error.status < 500 || isSignInUnderWay(error)) return;
  const { stack, message } = error.inner ?? error;
  logger.error(message, stack);
}
