import { createHmac, randomBytes } from 'node:crypto';

import { constantTimeEqual, SERVER_SECRETS } from '../../../lib/internal.js';
import { tenantOf } from '../../tenants/tenant-of.js';
import { BrowserCookie } from '../sessions/browser-cookie.js';
import type { Site, PageRequest } from '../site.js';

/** Lifetime of the cookie in seconds: the maximum that browsers allow. RFC 6265bis §5.5 */
const LIFETIME = 400 * 24 * 3600;

/**
 * The cookie that marks a browser in which a user has signed in before. The cookie does not authenticate the user.
 * Attempts with it are counted separately, so that an attacker who guesses passwords cannot lock the user out. It is
 * signed with the option `secret` for one user name exactly as typed, because names that differ only in case may belong
 * to two users.
 */
export class KnownBrowser {
  private readonly cookie: BrowserCookie;
  private readonly secrets: readonly string[];

  constructor(
    private readonly site: Site,
    private readonly pageRequest: PageRequest,
  ) {
    const { server } = site;
    this.cookie = new BrowserCookie(pageRequest.request, pageRequest.response, server, 'oauth2-known-browser');
    this.secrets = server.find(SERVER_SECRETS) ?? [];
  }

  /** Returns the identifier of the browser if a user of this name has signed in there before, or `undefined`. */
  idFor(username: string): string | undefined {
    const [id = '', mark = ''] = this.cookie.value?.split('.') ?? [];
    const isKnown = this.secrets.some((secret) => constantTimeEqual(mark, this.markOf(id, username, secret)));
    return isKnown ? id : undefined;
  }

  /** Sets the cookie after a user of this name has signed in. */
  remember(username: string): void {
    const [secret] = this.secrets;
    if (secret === undefined) return;
    const id = this.idFor(username) ?? randomBytes(16).toString('base64url');
    this.cookie.issue(LIFETIME, `${id}.${this.markOf(id, username, secret)}`);
  }

  private markOf(id: string, username: string, secret: string): string {
    const { server } = this.site;
    const realm = [tenantOf(server) ?? null, server.issuerOf(this.pageRequest.request) ?? null];
    const text = JSON.stringify([...realm, username, id]);
    return createHmac('sha256', secret).update(`nest-oauth2 known browser ${text}`).digest('base64url');
  }
}
