import type { Feature, ServerFacts } from '../../feature.js';
import type { DeviceAuthorization } from '../../features/device-authorization/device-model.js';
import type { CibaSettings } from './options.js';

/** The feature by which clients have users asked elsewhere. */
export interface CibaFeature extends Feature {
  /** What it takes, for a profile to judge. */
  readonly asking: Pick<CibaSettings, 'signed'>;
  /** Tells a client that wants to be told that its user has decided, in the background. */
  tellClient(found: DeviceAuthorization, id: string): void;
}

/** The feature of a server; undefined: it lists none. */
export const findCiba = (server: ServerFacts): CibaFeature | undefined =>
  server.features.find((one): one is CibaFeature => 'tellClient' in one);
