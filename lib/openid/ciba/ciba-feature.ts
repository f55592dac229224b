import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';
import type { CibaSettings } from './options.js';

/** The feature by which clients have users asked elsewhere. */
export interface CibaFeature extends Feature {
  /** What it takes, for a profile to judge. */
  readonly asking: Pick<CibaSettings, 'signed'>;
  /** Stores a ping for a client that wants one, since its user has decided. It is delivered in the background. CIBA §10.2 */
  tellClient(found: DeviceAuthorization, id: string, server: ServerContext): Promise<void>;
}

/** The feature of a server; undefined: it lists none. */
export const findCiba = (server: ServerContext): CibaFeature | undefined =>
  server.features.find((one): one is CibaFeature => 'tellClient' in one);
