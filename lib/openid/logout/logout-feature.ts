import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { SessionClientFilter } from '../../model/session-clients.js';

/** What is left to do of a sign-out. */
export interface SignedOut {
  /** What has to be opened in the browser of the user, each in an `<iframe>`. OpenID Connect Front-Channel Logout §2 */
  frames: readonly string[];
}

/** The feature by which clients hear that their users have signed out; who looks for it needs not load it. */
export interface LogoutFeature extends Feature {
  /** Tells those clients, and forgets at which they were. Never rejects. */
  signOut(server: ServerContext, who: Pick<SessionClientFilter, 'userId' | 'sid'>): Promise<SignedOut>;
}

/** The feature of a server; undefined: it lists none. */
export const findLogout = (server: ServerContext): LogoutFeature | undefined =>
  server.features.find((one): one is LogoutFeature => 'signOut' in one);
