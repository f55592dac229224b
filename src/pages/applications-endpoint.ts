import { loginInitiationUrl } from '../../lib/adapter/index.js';
import type { Application, ConsentModel, Model, User } from '../../lib/index.js';
import { ofTenant } from '../tenants/tenant-of.js';
import { pathOf } from './local-path.js';
import { PageEndpoint } from './page-endpoint.js';
import { reportWithdrawn } from './page-events.js';
import { textOf, type Visit } from './site.js';

/** Shows users which applications have access to their account, and ends it for good: it has to ask them anew. */
export class ApplicationsEndpoint extends PageEndpoint {
  protected async get(visit: Visit): Promise<void> {
    const user = await this.site.findUser(visit.request);
    if (!user) return this.signIn(visit);
    const applications = await this.model.listApplications(idOf(user), ofTenant(this.site.server));
    this.site.show(
      'applications',
      {
        user,
        applications,
        places: this.placesOf(applications, visit),
        ended: 'ended' in visit.request.query,
        fields: this.site.fields(visit),
        action: this.path(visit),
      },
      visit,
    );
  }

  protected async post(visit: Visit): Promise<void> {
    const user = await this.site.findUser(visit.request);
    if (!user) return this.signIn(visit);
    const clientId = textOf(visit.request, 'client_id');
    if (!this.site.isOurs(visit) || !clientId || !/^[\x20-\x7e]+$/.test(clientId))
      return this.goTo(this.path(visit), visit);
    const ended = await this.model.revokeGrantsOf({ userId: idOf(user), clientId, ...ofTenant(this.site.server) });
    if (ended !== 0) reportWithdrawn(this.site.server, { user, clientId, visit });
    this.goTo(this.path(visit, { ended: '' }), visit);
  }

  private placesOf(applications: readonly Application[], { request }: Visit): ReadonlyMap<string, string> {
    const { server } = this.site;
    const issuer = server.issuerOf(request);
    const placeOf = ({ client }: Application) => client && loginInitiationUrl(client, issuer, server);
    const places = applications.map((one) => [one.clientId, placeOf(one)] as const);
    return new Map(places.filter((place): place is readonly [string, string] => place[1] !== undefined));
  }

  private get model(): ConsentModel {
    return this.site.server.options.model as Model & ConsentModel;
  }

  private signIn(visit: Visit): void {
    this.goTo(this.site.loginPath(visit.request, this.path(visit)), visit);
  }

  private path({ request }: Visit, query?: Record<string, string>): string {
    return pathOf(this.site.server, 'applications', { request, query });
  }
}

const idOf = (user: User) => user['id'] as string | number;
