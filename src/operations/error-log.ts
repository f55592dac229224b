import { Logger } from '@nestjs/common';

import { isOutage, logLevelOf } from '../../lib/internal.js';
import type { OAuthError } from '../../lib/index.js';

const logger = new Logger('OAuth2');

/** Errors that were already logged: several fields of one GraphQL query may fail with the same error. */
const logged = new WeakSet<Error>();

/**
 * Seconds between two warnings about unreachable resources of clients. Any client can cause such a failure at any rate.
 */
const WARNING_INTERVAL = 60;

let nextWarning = 0;

/** Logs a server error with its cause, once. The response does not contain the cause. */
export function logServerError(error: OAuthError): void {
  const level = logLevelOf(error);
  if (!level) return;
  const cause = error.inner ?? error;
  if (logged.has(cause)) return;
  logged.add(cause);
  const { stack, message } = cause;
  if (level === 'warning') logUnreachable(message);
  else if (isOutage(cause))
    logger.error(`The database cannot be reached: ${message}. Start it, or correct its address`, stack);
  else logger.error(message, stack);
}

/**
 * Logs that a document or keys of a client cannot be fetched: as a warning once per interval, so that the operator
 * notices a broken network, and at debug level otherwise, so that clients cannot fill the log.
 */
function logUnreachable(message: string): void {
  const now = performance.now() / 1000;
  if (now < nextWarning) return logger.debug(message);
  nextWarning = now + WARNING_INTERVAL;
  logger.warn(`${message} (further failures within ${WARNING_INTERVAL} seconds are logged at debug level)`);
}
