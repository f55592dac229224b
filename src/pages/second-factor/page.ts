import type { User } from '../../../lib/index.js';
import type { PageData } from '../render/page-renderer.js';
import { pathOf } from '../local-path.js';
import { reportUserRefused } from '../page-events.js';
import { returnPath, type Site, textOf, type PageRequest, requestedAcr } from '../site.js';

const STATUS = { codeWrong: 401, codeExpired: 403, busy: 503, throttled: 429 } as const;

const REASONS = {
  codeWrong: 'code of the second factor is incorrect',
  codeExpired: 'CSRF token of the second factor form is missing, invalid, or from another browser, site or user',
  throttled: 'too many attempts with codes of the second factor',
} as const;

/** Why the page of the second factor is shown again. */
export type CodeProblem = keyof typeof STATUS;

/** Returns the path of the page for the code, with the page to return to and the `acr` that a client requests. */
export function secondFactorPath(
  { server }: Site,
  { request }: PageRequest,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  return pathOf(server, 'second_factor', { request, query: { ...carriedParameters(request), ...more } });
}

/** Returns the text that binds the form to a user. */
export const formBinding = (user: User): string => ` of the second factor of ${String(user['id'])}`;

/** The parts of the page that depend on the options. */
interface PageOptions {
  canSend: boolean;
  recoveryCodes: boolean;
  problem?: CodeProblem;
}

/** Shows the page to enter a code. */
export function showSecondFactor(
  site: Site,
  user: User,
  pageRequest: PageRequest,
  { canSend, recoveryCodes, problem }: PageOptions,
): void {
  const { request } = pageRequest;
  const [isSent, isRecovery] = [textOf(request, 'sent') !== undefined, textOf(request, 'recovery') !== undefined];
  const now = { sent: isSent ? '' : undefined, recovery: isRecovery ? '' : undefined };
  const acr = requestedAcr(request);
  const data: PageData<'secondFactor'> = {
    user,
    codes: isRecovery ? 'recovery' : !canSend ? 'app' : isSent ? 'sent' : 'unsent',
    action: secondFactorPath(site, pageRequest, now),
    fields: site.fields(pageRequest, {}, formBinding(user)),
    accounts: site.loginPath(request, returnPath(request), { reauthenticate: true, ...(acr && { acr }) }),
  };
  if (recoveryCodes && !isRecovery) data.recovery = secondFactorPath(site, pageRequest, { ...now, recovery: '' });
  if (problem) data.problem = problem;
  const status = problem ? STATUS[problem] : 200;
  if (problem && problem !== 'busy') {
    reportUserRefused(site.server, { reason: REASONS[problem], status, pageRequest, endpoint: 'second_factor' });
  }
  site.show('secondFactor', data, pageRequest, status);
}

const carriedParameters = (request: PageRequest['request']) => ({
  return_to: returnPath(request),
  acr_values: requestedAcr(request)?.join(' '),
  ui_locales: textOf(request, 'ui_locales'),
});
