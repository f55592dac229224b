import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';
import type { ServerContext } from '../../contracts/feature.js';
import { FetchError } from '../../http/safe-fetch/index.js';
import type { CoreClient } from '../../model/model.js';
import { findClient } from '../../endpoints/authorization/destination.js';
import type { NotificationFetch } from '../notifications/notification-fetch.js';
import { Notifications } from '../notifications/notifications.js';
import { hostOf } from '../notifications/outbound-queue.js';
import type { BackchannelNotifier } from './ciba-capability.js';
import { usesPingMode } from './ciba-parameters.js';
import { BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT } from './client-fields.js';
import { storedRequestIn, decryptPing } from './stored-request.js';

/**
 * The notifier of clients in `ping` mode on one server. Its constructor starts the delivery of stored pings. CIBA §10.2
 */
export class Pings implements BackchannelNotifier {
  private readonly notifications: Notifications;

  constructor(
    private readonly server: ServerContext,
    fetch: NotificationFetch,
  ) {
    const { issuer, model } = server.options;
    this.notifications = Notifications.of(model);
    this.notifications.register('ping', issuer!, {
      send: async ({ clientId, data }) => {
        const endpoint = endpointOf(await findClient(clientId, model, server));
        if (endpoint === undefined) throw new FetchError('url', 'the client no longer has a notification endpoint');
        const body = JSON.stringify({ auth_req_id: data['authReqId'] });
        await fetch.post(clientId, endpoint, { type: 'application/json', body, bearerToken: data['token']! });
      },
      // Nothing to do after a failure: a client that was not notified polls.
      done: () => undefined,
    });
  }

  async notifyClient(request: DeviceAuthorization, id: string): Promise<void> {
    const { client, expiresAt } = request;
    const endpoint = endpointOf(client);
    const encrypted = storedRequestIn(request)?.ping;
    const secret = encrypted === undefined ? undefined : decryptPing(encrypted, id);
    if (endpoint === undefined || !secret) return;
    const issuer = this.server.options.issuer!;
    const message = { kind: 'ping', issuer, clientId: client.id, host: hostOf(endpoint), data: { ...secret } } as const;
    await this.notifications.add(message, expiresAt);
  }
}

/** Returns the notification endpoint of a client in `ping` mode. */
const endpointOf = (client: CoreClient): string | undefined =>
  usesPingMode(client) ? BACKCHANNEL_CLIENT_NOTIFICATION_ENDPOINT.of(client) : undefined;
