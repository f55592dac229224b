import { Logger } from '@nestjs/common';
import { InvalidRequestError } from '../../lib/index.js';

/** What the user decided, in the words of the form. */
export type Decision = 'allow' | 'deny';

const logger = new Logger('OAuth2');
const AGAIN = 'A consent form was posted without';

/** Reads the decision of a posted consent form. A form that is not made right is told to the operator: no user can mend it. */
export function readDecision(body: unknown): { decision: Decision; ticket: string } | undefined {
  const { ticket, decision, client_id: asked } = (body ?? {}) as Record<string, unknown>;
  const isDecided = decision === 'allow' || decision === 'deny';
  if (typeof ticket === 'string' && ticket && isDecided) return { decision, ticket };
  // An authorization request may be posted too, and is no form of ours.
  if (asked !== undefined && ticket === undefined && decision === undefined) return undefined;
  logger.warn(
    ticket
      ? `${AGAIN} a decision, and the page is shown again: its buttons need the name \`decision\` and the values \`allow\` and \`deny\``
      : `${AGAIN} \`ticket\`, and the page is shown again: your \`consent()\` must put its \`context.ticket\` into a hidden field of that name`,
  );
  return undefined;
}

/** Why a form decides nothing whose ticket is not good: for the operator, since the user is asked again. */
export const invalidCsrfToken = () =>
  new InvalidRequestError('Invalid request: `ticket` is not good').because({
    reason: 'the ticket of a consent form is for this user and this request, not spent, and 15 minutes old at most',
  });
