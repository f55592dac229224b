import { OAuth2Server } from './server.js';

/** By what a container of Nest knows a server: its class, or a text of the `name` it was registered with. */
export const serverToken = (name: string | undefined): typeof OAuth2Server | string =>
  name === undefined ? OAuth2Server : serverName(name);

/** By what it knows one, whichever build of the package that is of. */
export const serverName = (name?: string): string =>
  name === undefined ? 'OAuth2Server' : `OAuth2Server of \`${name}\``;

/** The token of the administration of a server's grants, as text: it is the same in every build of the package. */
export const grantsName = (name?: string): string =>
  name === undefined ? 'OAuth2Grants' : `OAuth2Grants of \`${name}\``;

/** By what it knows the administration of the clients of a server, whichever build of the package that is of. */
export const clientsName = (name?: string): string =>
  name === undefined ? 'OAuth2Clients' : `OAuth2Clients of \`${name}\``;
