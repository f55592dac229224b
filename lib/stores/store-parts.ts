import { AuthorizationCodes } from './authorization-codes.js';
import { Consents } from './consents.js';
import { DeviceCodes } from './device-codes.js';
import { GrantPages } from './grant-pages.js';
import { GrantRevocation } from './grant-revocation.js';
import { Grants } from './grants.js';
import { KnownClients } from './known-clients.js';
import { ManagedClients } from './managed-clients.js';
import { Notifications } from './notifications.js';
import { PushedRequests } from './pushed-requests.js';
import { Registrations } from './registrations.js';
import { SessionClients } from './session-clients.js';
import { SessionLists } from './session-lists.js';
import { Sessions } from './sessions.js';
import type { StoreContext } from './store-context.js';
import { Tokens } from './tokens.js';
import { UserGrants } from './user-grants.js';
import { UnusedClients } from './unused-clients.js';

/** The parts of a store, each of which implements the methods of one model interface. */
export type StoreParts = ReturnType<typeof makeParts>;

/** Creates the parts of a store. The context must be complete. */
export function makeParts(context: StoreContext) {
  const unusedClients = new UnusedClients(context);
  const grants = new Grants(context, (clientId) => unusedClients.promote(clientId));
  const sessionClients = new SessionClients(context);
  const grantPages = new GrantPages(context);
  return {
    codes: new AuthorizationCodes(context, grants),
    tokens: new Tokens(context, grants),
    devices: new DeviceCodes(context, grants),
    pushedRequests: new PushedRequests(context),
    sessions: new Sessions(context, grants),
    sessionClients,
    sessionLists: new SessionLists(context, grantPages),
    consents: new Consents(context),
    userGrants: new UserGrants(context),
    grantPages,
    revocation: new GrantRevocation(context, sessionClients),
    knownClients: new KnownClients(context, unusedClients),
    managedClients: new ManagedClients(context, unusedClients),
    registrations: new Registrations(context, unusedClients),
    notifications: new Notifications(context),
  };
}
