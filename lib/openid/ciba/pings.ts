import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';
import type { ServerContext } from '../../contracts/feature.js';
import { BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT } from './client-fields.js';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Client } from '../../model/model.js';
import { findClient } from '../../endpoints/authorization/destination.js';
import { hostOf } from '../deliveries.js';
import { Notifications } from '../notifications.js';
import { isPinged } from './ciba-parameters.js';
import { keptIn, openPing } from './kept.js';

/** Notifies clients that their users have decided. CIBA §10.2 */
export class Pings {
  private readonly fetch: SafeFetch;

  constructor(options: SafeFetchOptions | undefined) {
    this.fetch = new SafeFetch({ ...options });
  }

  /** Whether the server may send requests to a notification endpoint. */
  isFetchable = (uri: string): boolean => this.fetch.isFetchable(uri);

  /** Begins to deliver the pings of a server. */
  serve(server: ServerContext): void {
    const { issuer, model } = server.options;
    Notifications.of(model).register('ping', issuer!, {
      send: async ({ clientId, data }) => {
        const to = endpointOf(await findClient(clientId, model, server));
        if (to === undefined) throw new FetchError('url', 'the client has no notification endpoint any more');
        const body = JSON.stringify({ auth_req_id: data['authReqId'] });
        await this.fetch.post(to, { type: 'application/json', body, bearer: data['token']! });
      },
      // A client that is not notified polls.
      done: () => undefined,
    });
  }

  /** Stores a ping, which is delivered in the background. */
  send = async (found: DeviceAuthorization, id: string, server: ServerContext): Promise<void> => {
    const { client, expiresAt } = found;
    const to = endpointOf(client);
    const sealed = keptIn(found)?.ping;
    const secret = sealed === undefined ? undefined : openPing(sealed, id);
    if (to === undefined || !secret) return;
    const { issuer, model } = server.options;
    const message = {
      kind: 'ping',
      issuer: issuer!,
      clientId: client.id,
      host: hostOf(to),
      data: { ...secret },
    } as const;
    await Notifications.of(model).add(message, expiresAt);
  };
}

/** The notification endpoint of a client that wants pings. */
const endpointOf = (client: Client): string | undefined =>
  isPinged(client) ? BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT.of(client) : undefined;
