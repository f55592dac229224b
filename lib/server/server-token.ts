import { OAuth2Server } from './server.js';

/** By what a container of Nest knows a server: its class, or a text of the `name` it was registered with. */
export const serverToken = (name: string | undefined): typeof OAuth2Server | string =>
  name === undefined ? OAuth2Server : serverName(name);

/** Returns the name of the provider of a server. It is the same in the ESM and the CommonJS build. */
export const serverName = (name?: string): string =>
  name === undefined ? 'OAuth2Server' : `OAuth2Server of \`${name}\``;
