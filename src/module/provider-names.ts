/** Returns the provider name of `OAuth2Clients` of a server. The ESM and the CommonJS build use the same name. */
export const clientsName = (name?: string): string =>
  name === undefined ? 'OAuth2Clients' : `OAuth2Clients of \`${name}\``;

/** Returns the provider name of `OAuth2Grants` of a server. The ESM and the CommonJS build use the same name. */
export const grantsName = (name?: string): string =>
  name === undefined ? 'OAuth2Grants' : `OAuth2Grants of \`${name}\``;
