import { OAuth2Server } from './server.js';

/**
 * Returns the injection token of a server in a Nest container: the class for the default server, a text for a server
 * with a `name`.
 */
export const serverToken = (name: string | undefined): typeof OAuth2Server | string =>
  name === undefined ? OAuth2Server : serverName(name);

/**
 * Returns the text that identifies a server in a Nest container. It is the same in the ES module and CommonJS builds.
 */
export const serverName = (name?: string): string =>
  name === undefined ? 'OAuth2Server' : `OAuth2Server of \`${name}\``;
