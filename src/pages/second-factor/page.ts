import type { User } from '../../../lib/index.js';
import { showLogin } from '../login/login-page.js';
import { reportUser } from '../page-events.js';
import type { PageData } from '../render/page-renderer.js';
import { requestedAcr } from '../site.js';
import type { PageAnswer, PageProblem } from '../toolkit/answers.js';
import { definePage } from '../toolkit/define-page.js';
import type { PageCall } from '../toolkit/page-call.js';
import { SECOND_FACTOR_STEP } from '../login/steps.js';
import { type PendingUser, SecondFactorLogin } from './login.js';
import { loginFlowOf } from '../login/login-flow.js';

/** Maximum length of a code, without spaces. */
const MAX_CODE_LENGTH = 100;

/** The parts of the page that `SecondFactorPageContext` adds to a form. */
type Data = Omit<PageData<'secondFactor'>, 'fields' | 'problem'>;

/**
 * The page for the code of a second factor. It is shown only after the first factor, or to a signed-in user whose
 * session can be strengthened, and reveals nothing to other browsers.
 */
export const secondFactorPage = definePage<Data, never, PendingUser>({
  path: 'oauth/second_factor',
  render: 'secondFactor',
  expired: 'codeExpired',
  problems: {
    codeWrong: { status: 401, reason: 'code of the second factor is incorrect' },
    codeExpired: {
      status: 403,
      reason: 'CSRF token of the second factor form is missing, invalid, or from another browser, site or user',
    },
    throttled: { status: 429, reason: 'too many attempts with codes of the second factor' },
  },
  subject: findPendingUser,
  binding: ({ user }) => formBinding(user),
  async get(call, { user }) {
    const { request, site } = call;
    const { canSend, options, policy } = SecondFactorLogin.of(site)!;
    const passkey = (await policy.hasPasskey(user))
      ? loginFlowOf(site).pathOf({ endpoint: 'passkey_factor' }, call)
      : undefined;
    if (passkey !== undefined && !(await policy.isEnrolled(user))) return call.redirect(passkey);
    const isRecovery = call.text('recovery') !== undefined;
    const acr = requestedAcr(request);
    const { recoveryCodes } = options;
    return {
      user,
      codes: isRecovery ? 'recovery' : !canSend ? 'app' : call.text('sent') === undefined ? 'unsent' : 'sent',
      action: pathOf(call, shownQuery(call)),
      accounts: site.loginPath(request, call.returnTo, { reauthenticate: true, ...(acr && { acr }) }),
      ...(passkey !== undefined && { passkey }),
      ...(recoveryCodes && !isRecovery && { recovery: pathOf(call, { ...shownQuery(call), recovery: '' }) }),
    };
  },
  async post(call, pending) {
    const login = SecondFactorLogin.of(call.site)!;
    if (call.text('send') !== undefined && login.canSend) {
      const delay = await login.send(pending.user, call);
      return delay ? call.problem(delay) : call.redirect(pathOf(call, { sent: '' }));
    }
    return enterCode(login, pending, call);
  },
});

async function enterCode(
  login: SecondFactorLogin,
  pending: PendingUser,
  call: PageCall,
): Promise<PageAnswer | PageProblem> {
  const typed = call.text('code')?.slice(0, 2 * MAX_CODE_LENGTH);
  const code = typed?.replaceAll(/\s/g, '') ?? '';
  if (code === '' || code.length > MAX_CODE_LENGTH) return call.problem('codeWrong');
  const problem = await login.verify(pending.user, code, call);
  if (problem) return call.problem(problem);
  const completed = await login.complete(pending, call);
  if (!completed) return showLogin(call, 'expired');
  if (pending.session) {
    reportUser(call.server, 'user.signed_in', { user: pending.user, pageRequest: call, endpoint: call.endpoint });
  }
  return completed.path === undefined ? call.back() : call.redirect(completed.path);
}

/** Returns the user who may enter a code in this browser, or where to go instead. */
async function findPendingUser(call: PageCall): Promise<PendingUser | PageAnswer> {
  const login = SecondFactorLogin.of(call.site)!;
  const pending = (await call.findStep(SECOND_FACTOR_STEP)) ?? (await login.findSession(call));
  if (pending) return pending;
  // If the form was already sent, the user is signed in.
  return call.request.method === 'POST' && !(await call.findUser()) ? showLogin(call, 'expired') : call.back();
}

/** Returns the text that binds the form to a user. */
const formBinding = (user: User): string => ` of the second factor of ${String(user['id'])}`;

/** Returns the path of the page, with the page to return to and the `acr` that a client requests. */
const pathOf = (call: PageCall, query: Readonly<Record<string, string | undefined>>) =>
  loginFlowOf(call.site).pathOf({ endpoint: call.endpoint }, call, query);

const shownQuery = (call: PageCall) => ({
  sent: call.text('sent') === undefined ? undefined : '',
  recovery: call.text('recovery') === undefined ? undefined : '',
});
