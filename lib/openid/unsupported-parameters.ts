import { RegistrationNotSupportedError } from '../errors/index.js';
import type { Capabilities } from '../contracts/capability.js';
import type { Parameters } from '../http/parameters.js';
import { SIGNED_REQUESTS } from '../jose/request-objects/signed-requests.js';

/** Whether a feature of the server accepts request objects at the authorization endpoint. RFC 9101 */
export const acceptsRequestObjects = (server: Pick<Capabilities, 'all'>): boolean =>
  server.all(SIGNED_REQUESTS).some(({ endpoint }) => endpoint === 'authorize');

/**
 * Rejects parameters of OpenID Connect that this server does not support. Ignoring them would change the meaning of the
 * request. OpenID Connect Core §3.1.2.6
 * @throws {RegistrationNotSupportedError} If the request contains `registration`.
 */
export function rejectUnsupported(parameters: Parameters): void {
  if (parameters.optional('registration', () => true) === undefined) return;
  throw new RegistrationNotSupportedError('Registration not supported: `registration` is not supported');
}
