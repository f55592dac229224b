import { loginInitiationUrl } from '../../lib/adapter/index.js';
import type { AuthorizedApplication, ConsentModel, Model, User } from '../../lib/index.js';
import { tenantFilter } from '../tenants/tenant-of.js';
import { reportWithdrawn } from './page-events.js';
import type { PageData } from './render/page-renderer.js';
import { definePage } from './toolkit/define-page.js';
import type { PageCall } from './toolkit/page-call.js';

/**
 * The page that shows users which applications have access to their account, and revokes that access. The application
 * must ask for consent again afterwards.
 */
export const applicationsPage = definePage<Omit<PageData<'applications'>, 'action' | 'fields'>>({
  path: 'oauth/applications',
  render: 'applications',
  signedIn: true,
  async get(call) {
    const applications = await modelOf(call).listApplications(idOf(call.user), tenantFilter(call.server));
    const loginUrls = loginUrlsOf(applications, call);
    return { user: call.user, applications, loginUrls, accessRemoved: 'ended' in call.request.query };
  },
  async post(call) {
    const { server, user } = call;
    const clientId = call.text('client_id');
    if (clientId === undefined || !/^[\x20-\x7e]+$/.test(clientId)) return call.redirect();
    const ended = await modelOf(call).revokeGrantsOf({ userId: idOf(user), clientId, ...tenantFilter(server) });
    if (ended !== 0) reportWithdrawn(server, { user, clientId, pageRequest: call });
    return call.redirect(call.path({ ended: '' }));
  },
});

function loginUrlsOf(
  applications: readonly AuthorizedApplication[],
  { request, server }: PageCall,
): ReadonlyMap<string, string> {
  const issuer = server.issuerOf(request);
  const loginUrlOf = ({ client }: AuthorizedApplication) => client && loginInitiationUrl(client, issuer, server);
  const entries = applications.map((one) => [one.clientId, loginUrlOf(one)] as const);
  return new Map(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

const modelOf = ({ server }: PageCall) => server.options.model as Model & ConsentModel;

const idOf = (user: User) => user['id'] as string | number;
