import { loginInitiation } from '../../../lib/internal.js';
import type { AuthorizedApplication, ConsentModel, ConsentSelection, Model, User } from '../../../lib/index.js';
import { usersFilter } from '../../tenants/tenant-of.js';
import { reportForgotten, reportWithdrawn } from '../page-events.js';
import type { PageData } from '../render/page-renderer.js';
import { definePage } from '../toolkit/define-page.js';
import type { PageCall } from '../toolkit/page-call.js';

/**
 * The page that shows users which applications have access to their account, and revokes that access. The application
 * must ask for consent again afterwards. The page can also delete a remembered consent only: tokens stay valid.
 */
export const applicationsPage = definePage<Omit<PageData<'applications'>, 'action' | 'fields'>>({
  path: 'oauth/applications',
  render: 'applications',
  signedIn: true,
  get: async (call) => ({
    user: call.user,
    ...(await applicationsOf(call)),
    accessRemoved: 'ended' in call.request.query,
    consentForgotten: 'ask_again' in call.request.query,
  }),
  async post(call) {
    const isForgotten = call.text('ask_again') !== undefined;
    if (!(await (isForgotten ? forgetConsent(call) : removeAccess(call)))) return call.redirect();
    return call.redirect(call.path({ [isForgotten ? 'ask_again' : 'ended']: '' }));
  },
});

/** Returns the applications with access to the account of the signed-in user. */
export async function applicationsOf(call: PageCall) {
  const applications = await modelOf(call).listApplications(idOf(call.user), usersFilter(call.server));
  return { applications, loginUrls: loginUrlsOf(applications, call) };
}

/**
 * Removes the access of the application in the parameter `client_id`, or only that of one of its grants in the parameter
 * `grant_id`. Returns `false` if a parameter is invalid.
 */
export async function removeAccess(call: PageCall): Promise<boolean> {
  const client = selectedBy(call);
  const grantId = call.text('grant_id');
  if (!client || (grantId !== undefined && !PRINTABLE.test(grantId))) return false;
  const selection = { ...client, ...(grantId !== undefined && { grantId }) };
  const ended = await modelOf(call).revokeGrantsOf(selection);
  if (ended !== 0) reportWithdrawn(call.server, { ...selection, pageRequest: call });
  return true;
}

/**
 * Deletes the remembered consent to the application in the parameter `client_id`. Returns `false` if the parameter is
 * invalid, or the model cannot delete consents alone.
 */
export async function forgetConsent(call: PageCall): Promise<boolean> {
  const selection = selectedBy(call);
  const model = modelOf(call);
  if (!selection || !model.forgetConsent) return false;
  if ((await model.forgetConsent(selection)) > 0) reportForgotten(call.server, { ...selection, pageRequest: call });
  return true;
}

const PRINTABLE = /^[\x20-\x7e]+$/;

/** Returns the selection of the signed-in user and the parameter `client_id`. `undefined` if the parameter is invalid. */
function selectedBy(call: PageCall): ConsentSelection | undefined {
  const clientId = call.text('client_id');
  if (clientId === undefined || !PRINTABLE.test(clientId)) return undefined;
  return { userId: idOf(call.user), clientId, ...usersFilter(call.server) };
}

function loginUrlsOf(
  applications: readonly AuthorizedApplication[],
  { request, server }: PageCall,
): ReadonlyMap<string, string> {
  const issuer = server.issuerOf(request);
  const loginUrlOf = ({ client }: AuthorizedApplication) => client && loginInitiation(client, issuer, server);
  const entries = applications.map((one) => [one.clientId, loginUrlOf(one)] as const);
  return new Map(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

const modelOf = ({ server }: PageCall) => server.options.model as Model & ConsentModel;

const idOf = (user: User) => user['id'] as string | number;
