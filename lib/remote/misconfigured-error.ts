/**
 * A lasting problem with another server, such as a wrong issuer, that requires a change of the configuration. It is
 * logged.
 */
export class MisconfiguredError extends Error {}
