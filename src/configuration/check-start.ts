import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';

import { assertConfig, isLoopbackName, isPlaceholder, SERVER_SECRETS, toOAuthError } from '../../lib/internal.js';
import { InvalidArgumentError, type OAuth2Server, type ServerContext } from '../../lib/index.js';
import { logServerError } from '../operations/error-log.js';
import { codeClients, warnOfClients } from './check-clients.js';

const logger = new Logger('OAuth2');

/**
 * Runs the checks of all features that read the store, such as whether the secret of `keys()` decrypts the stored keys.
 * If the store cannot be reached, the error is logged and the application starts.
 * @throws {InvalidArgumentError} If a feature reports a configuration error.
 */
export async function checkStoredState(server: OAuth2Server | undefined): Promise<void> {
  // A mock server of a test may have no context.
  for (const { parts } of server?.context?.installed ?? []) {
    try {
      await parts.verifyStoredState?.();
    } catch (error) {
      if (error instanceof InvalidArgumentError) throw error;
      logServerError(toOAuthError(error));
    }
  }
}

/**
 * Logs warnings of what the configuration makes impossible, or possible without notice.
 * @throws {InvalidArgumentError} If a secret is a placeholder, and `NODE_ENV` is `production`.
 */
export function warnAtStart(server: ServerContext, http: Server | undefined): void {
  checkPlaceholder(server);
  warnOfVolatileStore(server);
  warnOfClients(server);
  warnOfLongLifetimes(server);
  warnOfShortRefresh(server);
  // A resource server has the issuer of another application.
  if ('saveToken' in server.options.model) {
    warnOfOtherPort(server.options.issuer, http);
    warnOfPlainIssuer(server.options.issuer);
  }
}

/** Logs a warning, or refuses the start in production, if a secret of the server is a text of an example. */
function checkPlaceholder(server: ServerContext): void {
  if (!server.find(SERVER_SECRETS)?.some(isPlaceholder)) return;
  assertConfig(process.env['NODE_ENV'] !== 'production', PLACEHOLDER_SECRET);
  logger.warn(`${PLACEHOLDER_SECRET}. With \`NODE_ENV=production\`, the application does not start.`);
}

const PLACEHOLDER_SECRET =
  'the option `secret` is a placeholder, with which everyone can forge forms and logins: replace it with random characters, ' +
  'such as the output of `openssl rand -base64 33`';

/** The longest usual lifetimes, in seconds. A longer one is probably a number of milliseconds. */
const USUAL = {
  accessTokenLifetime: 30 * 86_400,
  authorizationCodeLifetime: 3600,
  refreshTokenLifetime: 10 * 365 * 86_400,
};

/** Logs a warning for each lifetime, of the server or of a client in code, that is probably a number of milliseconds. */
function warnOfLongLifetimes(server: ServerContext): void {
  const owners = [
    { owner: 'the server', lifetimes: server.options as object },
    ...codeClients(server).map((client) => ({ owner: `the client \`${client.id}\``, lifetimes: client as object })),
  ];
  for (const { owner, lifetimes } of owners) {
    for (const [name, longest] of Object.entries(USUAL)) {
      const lifetime = (lifetimes as Readonly<Record<string, unknown>>)[name];
      if (typeof lifetime !== 'number' || lifetime <= longest) continue;
      const days = Math.floor(lifetime / 86_400);
      const meant = Math.round(lifetime / 1000);
      logger.warn(
        `\`${name}\` of ${owner} is ${lifetime} seconds, which are ${days} days. If you meant milliseconds, set it to ${meant}.`,
      );
    }
  }
}

/** Logs a warning if refresh tokens expire before the access tokens that they should replace. */
function warnOfShortRefresh({ options, grants }: ServerContext): void {
  const { accessTokenLifetime, refreshTokenLifetime } = options;
  if (!grants.has('refresh_token') || refreshTokenLifetime >= accessTokenLifetime) return;
  logger.warn(
    `\`refreshTokenLifetime\` is ${refreshTokenLifetime} seconds, shorter than \`accessTokenLifetime\` with ${accessTokenLifetime} seconds: ` +
      'a refresh token is useless when the access token expires. Both are seconds: set `refreshTokenLifetime` to the longer one.',
  );
}

/** Logs a warning if the issuer is an http URL of another computer. RFC 8414 §2 */
function warnOfPlainIssuer(issuer: string | undefined): void {
  if (issuer === undefined || !URL.canParse(issuer)) return;
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'http:' || isLoopbackName(hostname)) return;
  logger.warn(
    `The option \`issuer\` is ${issuer}, without TLS: tokens and passwords can be read on the way, and clients of OpenID Connect ` +
      'and MCP refuse such a server. Use https, also behind a proxy. In a closed test network, ignore this.',
  );
}

/** Logs a warning if the store loses its data with the process, and `NODE_ENV` is `production`. */
function warnOfVolatileStore({ options: { model } }: ServerContext): void {
  if (process.env['NODE_ENV'] !== 'production' || (model as { isVolatile?: unknown }).isVolatile !== true) return;
  logger.warn(
    '`MemoryStore` loses all clients, sessions and tokens when this process ends, and other processes do not see them: ' +
      'use a store with a database in production (docs/reference/stores.md)',
  );
}

/**
 * Logs a warning if the issuer is an address of this computer with another port or another scheme than those with which
 * the application listens. Then redirects and the URLs in the metadata lead to another application, or to none.
 */
function warnOfOtherPort(issuer: string | undefined, http: Server | undefined): void {
  if (issuer === undefined || !URL.canParse(issuer) || !http?.once) return;
  const { hostname, port, protocol } = new URL(issuer);
  if (!isLoopbackName(hostname)) return;
  const expected = Number(port || (protocol === 'https:' ? 443 : 80));
  http.once('listening', () => {
    const address = http.address();
    if (address === null || typeof address === 'string') return;
    if (address.port === expected) {
      if (protocol !== 'https:' || isTls(http)) return;
      logger.warn(
        `The option \`issuer\` is ${issuer}, but the application listens without TLS on this port: browsers reject its login form, and ` +
          `clients cannot connect. Set \`issuer\` to ${issuer.replace('https:', 'http:')}, or pass \`httpsOptions\` to NestFactory.create().`,
      );
      return;
    }
    logger.warn(
      `The application listens on port ${address.port}, but the option \`issuer\` is ${issuer}: set \`issuer\` to ` +
        `http://${hostname}:${address.port}, or listen on port ${expected}. If a proxy or a container maps the port, ignore this.`,
    );
  });
}

/** Whether a server speaks TLS itself. */
const isTls = (http: Server): boolean => 'setSecureContext' in http;
