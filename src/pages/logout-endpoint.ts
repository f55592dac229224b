import {
  isLogoutOf,
  isSelfRegistered,
  type LogoutRequest,
  OPENID,
  readLogoutRequest,
} from '../../lib/adapter/index.js';
import type { User } from '../../lib/index.js';
import { writeInteractionResponse } from '../interaction/interaction-response.js';
import { endSession, endSessionHere } from './end-session.js';
import { pathOf } from './local-path.js';
import { PageEndpoint } from './page-endpoint.js';
import { findUserToSignOut } from './sign-out.js';
import { returnPath, textOf, type PageRequest } from './site.js';

/** The parameters of a logout request. RP-Initiated Logout 1.0 §2 */
const LOGOUT_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;

/** Seconds before the page continues, so that clients can sign the user out in frames. */
const PAUSE = 3;

/**
 * The page that signs users out in this browser. It accepts forms of any page of this origin without a CSRF token:
 * forms of other sites are sent without the cookie, and the worst effect is a sign-out. Clients of OpenID Connect also
 * send their users here. RP-Initiated Logout 1.0
 */
export class LogoutEndpoint extends PageEndpoint {
  protected async get(visit: PageRequest): Promise<void> {
    const asked = await this.read(visit);
    const user = await findUserToSignOut(this.site, visit);
    if (asked.redirect !== undefined && !user) {
      // The redirect URI of a self-registered client may belong to an attacker, so the user decides whether to follow
      // it. RFC 9700 §4.11.2
      return asked.client && isSelfRegistered(asked.client)
        ? this.open([], visit, asked.redirect)
        : this.leave(asked.redirect, visit);
    }
    if (user && isLogoutOf(asked, user, this.site.server)) {
      const frames = await endSession(this.site, user, visit);
      if (frames.length > 0) return this.open(frames, visit, asked.redirect);
      return asked.redirect === undefined ? this.show(visit) : this.leave(asked.redirect, visit);
    }
    this.show(visit, user);
  }

  protected async post(visit: PageRequest): Promise<void> {
    const { request } = visit;
    // A form of another site is sent without the cookie, so redirect to this page: the next request has the cookie.
    if (!this.site.isFromOwnOrigin(visit)) {
      const asked = this.parametersOf(visit);
      return Object.keys(asked).length > 0 ? this.goTo(this.path(visit, asked), visit) : this.get(visit);
    }
    const { redirect } = await this.read(visit);
    const frames = await endSessionHere(this.site, visit);
    if (frames.length > 0) return this.open(frames, visit, redirect ?? returnPath(request));
    if (redirect !== undefined) return this.leave(redirect, visit);
    this.goTo(returnPath(request) ?? this.path(visit), visit);
  }

  /** Returns the logout request of a client. Empty without `openid()`. */
  private async read({ request }: PageRequest): Promise<LogoutRequest> {
    const { server } = this.site;
    return server.find(OPENID) ? readLogoutRequest(request, server) : {};
  }

  private show(visit: PageRequest, user?: User): void {
    const { request } = visit;
    const more = { return_to: returnPath(request), ...this.parametersOf(visit) };
    const fields = user ? this.site.fields(visit, more) : {};
    const login = this.site.loginPath(request, undefined);
    this.site.show('signOut', { user, fields, login, action: this.path(visit) }, visit);
  }

  /**
   * Shows the page that opens the logout URIs of clients in frames, and then continues to `next`: automatically if
   * there are frames, otherwise by a link. Front-Channel Logout §2
   */
  private open(frames: readonly string[], visit: PageRequest, next: string | undefined): void {
    const login = this.site.loginPath(visit.request, undefined);
    const facts = { frames, ...(next !== undefined && { next }), fields: {}, login, action: this.path(visit) };
    this.site.show('signOut', facts, visit);
    if (next !== undefined && frames.length > 0) visit.response.set('refresh', `${PAUSE}; url=${next}`);
  }

  /** Redirects to a URI that the client has registered. */
  private leave(redirect: string, { response }: PageRequest): void {
    writeInteractionResponse(response, { redirect });
    response.status = 303;
  }

  /** Returns the parameters of the logout request, to be sent again. */
  private parametersOf({ request }: PageRequest): Record<string, string> {
    if (!this.site.server.find(OPENID)) return {};
    const given = LOGOUT_PARAMETERS.map((name) => [name, textOf(request, name)] as const);
    return Object.fromEntries(given.filter((entry): entry is [(typeof entry)[0], string] => entry[1] !== undefined));
  }

  private path({ request }: PageRequest, query?: Record<string, string | undefined>): string {
    return pathOf(this.site.server, 'logout', { request, ...(query && { query }) });
  }
}
