/** Returns the name of the provider that administers the clients of a server. It is the same in the ESM and the CommonJS build. */
export const clientsName = (name?: string): string =>
  name === undefined ? 'OAuth2Clients' : `OAuth2Clients of \`${name}\``;

/** Returns the name of the provider that administers the grants of a server. It is the same in the ESM and the CommonJS build. */
export const grantsName = (name?: string): string =>
  name === undefined ? 'OAuth2Grants' : `OAuth2Grants of \`${name}\``;
