import type { Awaitable } from '../../lib/index.js';
import { localPath, pathOf } from './local-path.js';
import { PageEndpoint } from './page-endpoint.js';
import { reportEnded, reportUser } from './page-events.js';
import { textOf, type Visit } from './site.js';

/**
 * Ends the session of this browser. Its cookie comes with no form of another site, so a form of any page of this origin may
 * be posted here, without a token: at worst somebody is signed out.
 */
export class LogoutEndpoint extends PageEndpoint {
  protected async get(visit: Visit): Promise<void> {
    const { request } = visit;
    const user = (await this.site.findUser(request)) || undefined;
    const fields = user ? this.site.fields(visit, { return_to: localPath(textOf(request, 'return_to')) }) : {};
    const login = this.site.loginPath(request, undefined);
    this.site.show('signOut', { user, fields, login, action: pathOf(this.site.server, 'logout', { request }) }, visit);
  }

  protected async post(visit: Visit): Promise<void> {
    const { request, response } = visit;
    if (!this.site.isFromHere(visit)) return this.get(visit);
    const user = await this.site.findUser(request);
    if (user) {
      await this.site.sessions.end(request, response);
      const { server, options } = this.site;
      const userId = user['id'] as string;
      const ended = options.signOutEndsGrants && (await this.model.revokeGrantsOf({ userId })) !== 0;
      reportUser(server, 'user.signed_out', { user, visit });
      if (ended) reportEnded(server, { user, visit });
    }
    this.goTo(localPath(textOf(request, 'return_to')) ?? pathOf(this.site.server, 'logout', { request }), visit);
  }

  private get model(): Ending {
    return this.site.server.options.model as object as Ending;
  }
}

interface Ending {
  revokeGrantsOf(filter: { userId: string | number }): Awaitable<unknown>;
}
