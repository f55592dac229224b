/**
 * A lasting problem with another server, such as a wrong issuer, that needs a change of the configuration. It is
 * logged.
 */
export class MisconfiguredError extends Error {}
