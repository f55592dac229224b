import { Accounts } from '../accounts/accounts.js';
import { AuthorizationCodes } from '../grants/authorization-codes.js';
import { Consents } from '../grants/consents.js';
import { DeviceCodes } from '../grants/device-codes.js';
import { GrantPages } from '../sessions/grant-pages.js';
import { GrantRevocation } from '../sessions/grant-revocation.js';
import { Grants } from '../grants/grants.js';
import { Identities } from '../accounts/identities.js';
import { KnownClients } from '../clients/known-clients.js';
import { ManagedClients } from '../clients/managed-clients.js';
import { StoredNotifications } from '../grants/notifications.js';
import { PersonalTokens } from '../accounts/personal-tokens.js';
import { PushedRequests } from '../grants/pushed-requests.js';
import { Registrations } from '../clients/registrations.js';
import { SessionClients } from '../sessions/session-clients.js';
import { SessionLists } from '../sessions/session-lists.js';
import { Sessions } from '../sessions/sessions.js';
import type { StoreContext } from '../clients/store-context.js';
import { Tokens } from '../grants/tokens.js';
import { UserGrants } from '../grants/user-grants.js';
import { UpstreamTokens } from '../accounts/upstream-tokens.js';
import { UnusedClients } from '../clients/unused-clients.js';

/** The parts of a store, each of which implements the methods of one model interface. */
export type StoreParts = ReturnType<typeof makeParts>;

/** Creates the parts of a store. The context must be complete. */
export function makeParts(context: StoreContext) {
  const unusedClients = new UnusedClients(context);
  const grants = new Grants(context, (clientId) => unusedClients.promote(clientId));
  const sessionClients = new SessionClients(context);
  const grantPages = new GrantPages(context);
  const accounts = new Accounts(context, sessionClients);
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
    notifications: new StoredNotifications(context),
    accounts,
    identities: new Identities(accounts),
    personalTokens: new PersonalTokens(context, grants),
    upstreamTokens: new UpstreamTokens(context),
  };
}
