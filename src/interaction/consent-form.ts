import { Logger } from '@nestjs/common';
import { InvalidRequestError } from '../../lib/index.js';

/** The user's decision on the consent page: the value of the form field `decision`. */
export type Decision = 'allow' | 'deny';

const logger = new Logger('OAuth2');
const SHOWN_AGAIN = 'The consent page is shown again because its form was posted without';

/**
 * Reads the decision of a posted consent form. Returns `undefined` if fields are missing. Then it logs a warning for
 * the developer, unless the form is an authorization request.
 */
export function readDecision(body: unknown): { decision: Decision; csrfToken: string } | undefined {
  const { csrf_token: csrfToken, decision, client_id: clientId } = (body ?? {}) as Record<string, unknown>;
  const isDecided = decision === 'allow' || decision === 'deny';
  if (typeof csrfToken === 'string' && csrfToken && isDecided) return { decision, csrfToken };
  // This is an authorization request that was sent as a form, not a consent form.
  if (clientId !== undefined && csrfToken === undefined && decision === undefined) return undefined;
  logger.warn(
    csrfToken
      ? `${SHOWN_AGAIN} a decision: name its buttons \`decision\`, with the values \`allow\` and \`deny\``
      : `${SHOWN_AGAIN} \`csrf_token\`: add a hidden field \`csrf_token\` with the value of \`context.csrfToken\` that \`consent()\` receives`,
  );
  return undefined;
}

/** Returns the error to log when a consent form has an invalid CSRF token. The user sees the consent page again. */
export const invalidCsrfToken = () =>
  new InvalidRequestError('Invalid request: `csrf_token` is invalid').because({
    reason:
      'CSRF token of the consent form is expired, already used or forged, or was issued for another user or request',
  });
