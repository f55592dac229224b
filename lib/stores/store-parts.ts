import { AuthorizationCodes } from './authorization-codes.js';
import { DeviceCodes } from './device-codes.js';
import { Grants, type Promote } from './grants.js';
import { Notifications } from './notifications.js';
import { PushedRequests } from './pushed-requests.js';
import type { StoreContext } from './store-context.js';
import { Tokens } from './tokens.js';

/** The parts that a store consists of. */
export type StoreParts = ReturnType<typeof makeParts>;

/** Makes the parts of a store. The constructor of the store calls this when everything in the context is set. */
export function makeParts(context: StoreContext, promote: Promote) {
  const grants = new Grants(context, promote);
  return {
    codes: new AuthorizationCodes(context, grants),
    tokens: new Tokens(context, grants),
    devices: new DeviceCodes(context, grants),
    pushedRequests: new PushedRequests(context),
    notifications: new Notifications(context),
  };
}
