import { capability } from '../../contracts/capability.js';
import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';

/** The notifications that `ciba()` sends when a backchannel request is decided. */
export interface BackchannelNotifier {
  /**
   * Stores a notification for a client in `ping` mode after the user has decided. It is sent in the background. Does
   * nothing for other clients. CIBA §10.2
   */
  notifyClient(request: DeviceAuthorization, id: string): Promise<void>;
}

/** The capability key under which `ciba()` provides the notification of clients. */
export const CIBA = capability<BackchannelNotifier>('ciba', 'ciba');
