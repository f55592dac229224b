import { loginInitiationUrl } from '../../../lib/adapter/index.js';
import type { AuthorizedApplication, ConsentModel, Model, User } from '../../../lib/index.js';
import { tenantFilter } from '../../tenants/tenant-of.js';
import { reportWithdrawn } from '../page-events.js';
import type { PageData } from '../render/page-renderer.js';
import { definePage } from '../toolkit/define-page.js';
import type { PageCall } from '../toolkit/page-call.js';

/**
 * The page that shows users which applications have access to their account, and revokes that access. The application
 * must ask for consent again afterwards.
 */
export const applicationsPage = definePage<Omit<PageData<'applications'>, 'action' | 'fields'>>({
  path: 'oauth/applications',
  render: 'applications',
  signedIn: true,
  get: async (call) => ({
    user: call.user,
    ...(await applicationsOf(call)),
    accessRemoved: 'ended' in call.request.query,
  }),
  post: async (call) => call.redirect((await removeAccess(call)) ? call.path({ ended: '' }) : call.path()),
});

/** Returns the applications with access to the account of the signed-in user. */
export async function applicationsOf(call: PageCall) {
  const applications = await modelOf(call).listApplications(idOf(call.user), tenantFilter(call.server));
  return { applications, loginUrls: loginUrlsOf(applications, call) };
}

/** Removes the access of the application in the parameter `client_id`. Returns `false` if the parameter is invalid. */
export async function removeAccess(call: PageCall): Promise<boolean> {
  const { server, user } = call;
  const clientId = call.text('client_id');
  if (clientId === undefined || !/^[\x20-\x7e]+$/.test(clientId)) return false;
  const ended = await modelOf(call).revokeGrantsOf({ userId: idOf(user), clientId, ...tenantFilter(server) });
  if (ended !== 0) reportWithdrawn(server, { user, clientId, pageRequest: call });
  return true;
}

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
