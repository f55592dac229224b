import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';
import { SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Client } from '../../model/model.js';
import { registered } from '../../features/client-metadata/registered.js';
import { isPinged } from './ciba-parameters.js';
import { Deliveries } from '../deliveries.js';
import { keptIn, openPing } from './kept.js';

/** Tells clients that their users have decided. CIBA §10.2 */
export class Pings {
  private readonly fetch: SafeFetch;
  private readonly deliveries = new Deliveries();

  constructor(options: SafeFetchOptions | undefined) {
    this.fetch = new SafeFetch({ ...options });
  }

  /** May a client register this? */
  isGood = (uri: unknown): boolean =>
    typeof uri === 'string' && uri.length <= LONGEST && !uri.includes('#') && this.fetch.isFetchable(uri);

  /** Whoever has decided does not wait for it. */
  send = (found: DeviceAuthorization, id: string): void => {
    const to = placeOf(found.client);
    const sealed = keptIn(found)?.ping;
    const secret = sealed === undefined ? undefined : openPing(sealed, id);
    if (to === undefined || !secret) return;
    const body = JSON.stringify({ auth_req_id: secret.authReqId });
    this.deliveries.add({
      to,
      send: () => this.fetch.post(to, { type: 'application/json', body, bearer: secret.token }),
      // A client that is not told can ask.
      done: () => undefined,
    });
  };
}

const LONGEST = 2000;

/** Where this client is told; undefined: it is not. */
const placeOf = (client: Client): string | undefined =>
  isPinged(client) ? registered(client, 'backchannelClientNotificationEndpoint') : undefined;
