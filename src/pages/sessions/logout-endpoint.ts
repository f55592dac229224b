import {
  isLogoutOf,
  isSelfRegistered,
  type LogoutRequest,
  OPENID,
  readLogoutRequest,
} from '../../../lib/adapter/index.js';
import type { User } from '../../../lib/index.js';
import { writeInteractionResponse } from '../../interaction/interaction-response.js';
import { endSession, endSessionHere } from './end-session.js';
import { pathOf } from '../local-path.js';
import { PageEndpoint } from '../page-endpoint.js';
import { findUserToSignOut } from './sign-out.js';
import { returnPath, textOf, type PageRequest } from '../site.js';

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
  protected async get(pageRequest: PageRequest): Promise<void> {
    const logoutRequest = await this.read(pageRequest);
    const user = await findUserToSignOut(this.site, pageRequest);
    if (logoutRequest.redirect !== undefined && !user) {
      // The redirect URI of a self-registered client may belong to an attacker, so the user decides whether to follow
      // it. RFC 9700 §4.11.2
      return logoutRequest.client && isSelfRegistered(logoutRequest.client)
        ? this.open([], pageRequest, logoutRequest.redirect)
        : this.leave(logoutRequest.redirect, pageRequest);
    }
    if (user && isLogoutOf(logoutRequest, user, this.site.server)) {
      const frames = await endSession(this.site, user, pageRequest, logoutRequest.hint);
      if (frames.length > 0) return this.open(frames, pageRequest, logoutRequest.redirect);
      return logoutRequest.redirect === undefined
        ? this.show(pageRequest)
        : this.leave(logoutRequest.redirect, pageRequest);
    }
    this.show(pageRequest, user);
  }

  protected async post(pageRequest: PageRequest): Promise<void> {
    const { request } = pageRequest;
    // A form of another site is sent without the cookie, so redirect to this page: the next request has the cookie.
    if (!this.site.isFromOwnOrigin(pageRequest)) {
      const logoutRequest = this.parametersOf(pageRequest);
      return Object.keys(logoutRequest).length > 0
        ? this.goTo(this.path(pageRequest, logoutRequest), pageRequest)
        : this.get(pageRequest);
    }
    const { redirect, hint } = await this.read(pageRequest);
    const frames = await endSessionHere(this.site, pageRequest, hint);
    if (frames.length > 0) return this.open(frames, pageRequest, redirect ?? returnPath(request));
    if (redirect !== undefined) return this.leave(redirect, pageRequest);
    this.goTo(returnPath(request) ?? this.path(pageRequest), pageRequest);
  }

  /** Returns the logout request of a client. Empty without `openid()`. */
  private async read({ request }: PageRequest): Promise<LogoutRequest> {
    const { server } = this.site;
    return server.find(OPENID) ? readLogoutRequest(request, server) : {};
  }

  private show(pageRequest: PageRequest, user?: User): void {
    const { request } = pageRequest;
    const more = { return_to: returnPath(request), ...this.parametersOf(pageRequest) };
    const fields = user ? this.site.fields(pageRequest, more) : {};
    const login = this.site.loginPath(request, undefined);
    this.site.show('signOut', { user, fields, login, action: this.path(pageRequest) }, pageRequest);
  }

  /**
   * Shows the page that opens the logout URIs of clients in frames, and then continues to `next`: automatically if
   * there are frames, otherwise by a link. Front-Channel Logout §2
   */
  private open(frames: readonly string[], pageRequest: PageRequest, next: string | undefined): void {
    const login = this.site.loginPath(pageRequest.request, undefined);
    const data = { frames, ...(next !== undefined && { next }), fields: {}, login, action: this.path(pageRequest) };
    this.site.show('signOut', data, pageRequest);
    if (next !== undefined && frames.length > 0) pageRequest.response.set('refresh', `${PAUSE}; url=${next}`);
  }

  /** Redirects to a URI that the client has registered. */
  private leave(redirect: string, { response }: PageRequest): void {
    writeInteractionResponse(response, { redirect });
    response.status = 303;
  }

  /** Returns the parameters of the logout request, to be sent again. */
  private parametersOf({ request }: PageRequest): Record<string, string> {
    if (!this.site.server.find(OPENID)) return {};
    const entries = LOGOUT_PARAMETERS.map((name) => [name, textOf(request, name)] as const);
    return Object.fromEntries(entries.filter((entry): entry is [(typeof entry)[0], string] => entry[1] !== undefined));
  }

  private path({ request }: PageRequest, query?: Record<string, string | undefined>): string {
    return pathOf(this.site.server, 'logout', { request, ...(query && { query }) });
  }
}
