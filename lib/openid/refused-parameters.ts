import { RegistrationNotSupportedError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Parameters } from '../http/parameters.js';

/** Is somebody there who reads request objects? By what a `RequestObjectsFeature` has. RFC 9101 */
export const takesRequestObjects = ({ features }: ServerContext): boolean =>
  features.some((feature) => 'objects' in feature);

/**
 * What OpenID Connect knows and this server has none of is refused, as the engine refuses request objects that nobody reads: to leave
 * out what a client has said there would change what it asked for. OpenID Connect Core §3.1.2.6
 */
export function refuseUnsupported(parameters: Parameters): void {
  if (parameters.optional('registration', () => true) === undefined) return;
  throw new RegistrationNotSupportedError('Registration not supported: `registration` is not supported');
}
