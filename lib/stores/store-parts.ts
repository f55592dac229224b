import { Notifications } from './notifications.js';
import { PushedRequests } from './pushed-requests.js';
import type { StoreContext } from './store-context.js';

/** The parts that a store consists of. */
export type StoreParts = ReturnType<typeof makeParts>;

/** Makes the parts of a store. The constructor of the store calls this when everything in the context is set. */
export function makeParts(context: StoreContext) {
  return {
    pushedRequests: new PushedRequests(context),
    notifications: new Notifications(context),
  };
}
