import { Logger } from '@nestjs/common';
import { isSignInUnderWay } from '../lib/endpoints/authorize-events.js';
import type { OAuthError } from '../lib/index.js';

const logger = new Logger('OAuth2');

/** Errors that were logged: several fields of one GraphQL query may fail by the same error. */
const logged = new WeakSet<Error>();

/** Logs a server error with its cause, once. The response does not contain the cause. */
export function logFault(error: OAuthError): void {
  if (error.status < 500 || isSignInUnderWay(error)) return;
  const cause = error.inner ?? error;
  if (logged.has(cause)) return;
  logged.add(cause);
  const { stack, message } = cause;
  logger.error(message, stack);
}
