import {
  identifiesUser,
  isSelfRegistered,
  type LogoutRequest,
  OPENID,
  readLogoutRequest,
} from '../../../lib/internal.js';
import type { User } from '../../../lib/index.js';
import { type PageAnswer, readyMade } from '../toolkit/answers.js';
import { definePage } from '../toolkit/define-page.js';
import type { PageCall } from '../toolkit/page-call.js';
import { endSession, endSessionHere } from './end-session.js';
import { findUserToSignOut } from './sign-out.js';

/** The parameters of a logout request. RP-Initiated Logout 1.0 §2 */
const LOGOUT_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;

/** Seconds before the page continues, so that clients can sign the user out in frames. */
const PAUSE = 3;

/**
 * The page that signs users out in this browser. It accepts forms of any page of this origin without a CSRF token:
 * forms of other sites are sent without the cookie, and the worst effect is a sign-out. Clients of OpenID Connect also
 * send their users here. RP-Initiated Logout 1.0
 */
export const logoutPage = definePage({
  path: 'oauth/logout',
  render: 'signOut',
  expired: false,
  get: showOrSignOut,
  async post(call) {
    // A form of another site is sent without the cookie, so redirect to this page: the next request has the cookie.
    if (!call.site.isFromOwnOrigin(call)) {
      const logoutRequest = parametersOf(call);
      return Object.keys(logoutRequest).length > 0 ? call.redirect(call.path(logoutRequest)) : showOrSignOut(call);
    }
    const { redirect, hint } = await read(call);
    const frames = await endSessionHere(call.site, call, hint);
    if (frames.length > 0) return open(frames, call, redirect ?? call.returnTo);
    return call.redirect(redirect ?? call.returnTo);
  },
});

async function showOrSignOut(call: PageCall): Promise<PageAnswer> {
  const { site } = call;
  const logoutRequest = await read(call);
  const { redirect } = logoutRequest;
  const user = await findUserToSignOut(site, call);
  if (redirect !== undefined && !user) {
    // The redirect URI of a self-registered client may belong to an attacker, so the user decides whether to follow it.
    // RFC 9700 §4.11.2
    return logoutRequest.client && isSelfRegistered(logoutRequest.client)
      ? open([], call, redirect)
      : call.redirect(redirect);
  }
  if (user && identifiesUser(logoutRequest, user, site.server)) {
    const frames = await endSession(site, user, call, logoutRequest.hint);
    if (frames.length > 0) return open(frames, call, redirect);
    return redirect === undefined ? show(call) : call.redirect(redirect);
  }
  return show(call, user);
}

/** Returns the logout request of a client. Empty without `openid()`. */
const read = async ({ request, server }: PageCall): Promise<LogoutRequest> =>
  server.find(OPENID) ? readLogoutRequest(request, server) : {};

/** Asks the user whether to sign out. Without a user, confirms that no user is signed in. */
function show(call: PageCall, user?: User): PageAnswer {
  const fields = user ? call.fields(parametersOf(call)) : {};
  const login = call.site.loginPath(call.request, undefined);
  return call.show('signOut', { ...(user && { user }), fields, login, action: call.path() });
}

/**
 * Shows the page that opens the logout URIs of clients in frames, and then continues to `next`: automatically if there
 * are frames, otherwise by a link. Front-Channel Logout §2
 */
function open(frames: readonly string[], call: PageCall, next: string | undefined): PageAnswer {
  const login = call.site.loginPath(call.request, undefined);
  const data = { frames, ...(next !== undefined && { next }), fields: {}, login, action: call.path() };
  const continues = next !== undefined && frames.length > 0;
  return readyMade('signOut', data, continues ? { headers: { refresh: `${PAUSE}; url=${next}` } } : {});
}

/** Returns the parameters of the logout request, to be sent again. */
function parametersOf(call: PageCall): Record<string, string> {
  if (!call.server.find(OPENID)) return {};
  const entries = LOGOUT_PARAMETERS.map((name) => [name, call.text(name)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [(typeof entry)[0], string] => entry[1] !== undefined));
}
