import { type LogoutTokenClaims, notifySessionEnded, upstreamClientId } from '../../../lib/internal.js';
import { InvalidRequestError, type ListedSession, type Request, type SessionListModel } from '../../../lib/index.js';
import { reportUser } from '../../pages/page-events.js';
import { SITE } from '../../pages/site.js';
import type { UpstreamServer } from '../upstream-server.js';

/** Maximum number of sessions that one logout token ends. */
const MAX_SESSIONS = 1000;

/**
 * Ends the sessions of this server that began with a sign-in at a provider, and notifies the clients of these sessions.
 * OpenID Connect Back-Channel Logout 1.0 §2.7
 */
export async function endUpstreamSessions(
  upstreams: UpstreamServer,
  claims: LogoutTokenClaims,
  { request, endpoint }: { readonly request: Request; readonly endpoint: string },
): Promise<void> {
  const { server } = upstreams;
  const model = server.options.model as Partial<SessionListModel>;
  if (!server.find(SITE)?.modelSessions || !model.listSessions || !model.endSession) {
    throw new InvalidRequestError('Invalid request: the application stores the sessions, so they cannot be ended here');
  }
  for (const { id, userId, sid } of await findSessions(upstreams, model as SessionListModel, claims)) {
    // If the session cannot be ended, the provider sends the token again. Its clients are then known already.
    await notifySessionEnded(server, { userId, sid });
    if (!(await model.endSession({ userId, id }))) continue;
    // A client may have used the session meanwhile.
    await notifySessionEnded(server, { userId, sid });
    reportUser(server, 'user.signed_out', { user: { id: userId }, pageRequest: { request }, endpoint });
  }
}

/** Returns the sessions with the `sid` of a logout token or, without it, all sessions of its `sub`. */
async function findSessions(
  { server, realm, identities }: UpstreamServer,
  model: SessionListModel,
  { iss, sub, sid }: LogoutTokenClaims,
): Promise<readonly ListedSession[]> {
  const page = { issuer: server.options.issuer!, limit: MAX_SESSIONS };
  const owner = sub === undefined ? undefined : await identities.findIdentity({ realm, iss, sub });
  const lists = await Promise.all([
    owner && model.listSessions({ ...page, userId: owner.userId }),
    sid !== undefined && model.listSessions({ ...page, clientId: upstreamClientId({ iss, sid }) }),
  ]);
  return lists
    .flatMap((list) => (list ? list.sessions : []))
    .filter(({ upstream }) => {
      const isSession = sid === undefined || upstream?.sid === undefined || upstream.sid === sid;
      return upstream?.iss === iss && (sub === undefined || upstream.sub === sub) && isSession;
    });
}
