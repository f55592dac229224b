import type { Feature } from '../../contracts/feature.js';
import { RegistrationEndpoint } from './registration-endpoint.js';
import { REGISTRATION_METHODS } from './registration-model.js';
import { registrationErrors, type RegistrationOptions, registrationSettings } from './registration-options.js';

/** Lets clients register themselves and manage their registrations. RFC 7591, RFC 7592 */
export function registration(options: RegistrationOptions): Feature {
  return {
    id: 'registration',
    specification: 'RFC 7591',
    settings: { ...registrationSettings(options ?? {}) },
    requires: REGISTRATION_METHODS,
    endpoints: {
      registration: {
        path: 'oauth/register',
        methods: ['POST', 'GET', 'PUT', 'DELETE'],
        metadata: 'registration_endpoint',
        content: 'json',
        cors: true,
        make: (server) => new RegistrationEndpoint(server, options),
      },
    },
    install: () => ({ misconfigurations: (server) => registrationErrors(options ?? {}, server) }),
  };
}
