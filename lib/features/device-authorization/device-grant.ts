import { PolledGrantType } from './polled-grant.js';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** A device polls with its device code. RFC 8628 §3.4 */
export class DeviceCodeGrantType extends PolledGrantType {
  protected readonly parameter = 'device_code';
  protected readonly what = 'device code';

  protected codeOf(given: string): string {
    return given;
  }
}
