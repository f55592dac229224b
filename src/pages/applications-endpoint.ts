import { loginInitiationUrl } from '../../lib/adapter/index.js';
import type { AuthorizedApplication, ConsentModel, Model, User } from '../../lib/index.js';
import { tenantFilter } from '../tenants/tenant-of.js';
import { pathOf } from './local-path.js';
import { PageEndpoint } from './page-endpoint.js';
import { reportWithdrawn } from './page-events.js';
import { textOf, type PageRequest } from './site.js';

/**
 * The page that shows users which applications have access to their account, and revokes that access. The application
 * must ask for consent again afterwards.
 */
export class ApplicationsEndpoint extends PageEndpoint {
  protected async get(pageRequest: PageRequest): Promise<void> {
    const user = await this.site.findUser(pageRequest.request);
    if (!user) return this.signIn(pageRequest);
    const applications = await this.model.listApplications(idOf(user), tenantFilter(this.site.server));
    this.site.show(
      'applications',
      {
        user,
        applications,
        loginUrls: this.loginUrlsOf(applications, pageRequest),
        accessRemoved: 'ended' in pageRequest.request.query,
        fields: this.site.fields(pageRequest),
        action: this.path(pageRequest),
      },
      pageRequest,
    );
  }

  protected async post(pageRequest: PageRequest): Promise<void> {
    const user = await this.site.findUser(pageRequest.request);
    if (!user) return this.signIn(pageRequest);
    const clientId = textOf(pageRequest.request, 'client_id');
    if (!this.site.hasValidFormToken(pageRequest) || !clientId || !/^[\x20-\x7e]+$/.test(clientId))
      return this.goTo(this.path(pageRequest), pageRequest);
    const ended = await this.model.revokeGrantsOf({ userId: idOf(user), clientId, ...tenantFilter(this.site.server) });
    if (ended !== 0) reportWithdrawn(this.site.server, { user, clientId, pageRequest });
    this.goTo(this.path(pageRequest, { ended: '' }), pageRequest);
  }

  private loginUrlsOf(
    applications: readonly AuthorizedApplication[],
    { request }: PageRequest,
  ): ReadonlyMap<string, string> {
    const { server } = this.site;
    const issuer = server.issuerOf(request);
    const loginUrlOf = ({ client }: AuthorizedApplication) => client && loginInitiationUrl(client, issuer, server);
    const entries = applications.map((one) => [one.clientId, loginUrlOf(one)] as const);
    return new Map(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
  }

  private get model(): ConsentModel {
    return this.site.server.options.model as Model & ConsentModel;
  }

  private signIn(pageRequest: PageRequest): void {
    this.goTo(this.site.loginPath(pageRequest.request, this.path(pageRequest)), pageRequest);
  }

  private path({ request }: PageRequest, query?: Record<string, string>): string {
    return pathOf(this.site.server, 'applications', { request, query });
  }
}

const idOf = (user: User) => user['id'] as string | number;
