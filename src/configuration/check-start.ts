import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';
import { isLoopbackName, toOAuthError } from '../../lib/adapter/index.js';
import { InvalidArgumentError, type OAuth2Server, type ServerContext } from '../../lib/index.js';
import { logServerError } from '../operations/error-log.js';

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

/** Logs warnings of what the configuration makes impossible, or possible without notice. */
export function warnAtStart(server: ServerContext, http: Server | undefined): void {
  warnOfVolatileStore(server);
  // A resource server has the issuer of another application.
  if ('saveToken' in server.options.model) warnOfOtherPort(server.options.issuer, http);
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
 * Logs a warning if the issuer is an address of this computer with another port than the one the application listens
 * on. Then redirects and the URLs in the metadata lead to another application, or to none.
 */
function warnOfOtherPort(issuer: string | undefined, http: Server | undefined): void {
  if (issuer === undefined || !URL.canParse(issuer) || !http?.once) return;
  const { hostname, port, protocol } = new URL(issuer);
  if (!isLoopbackName(hostname)) return;
  const expected = Number(port || (protocol === 'https:' ? 443 : 80));
  http.once('listening', () => {
    const address = http.address();
    if (address === null || typeof address === 'string' || address.port === expected) return;
    logger.warn(
      `The application listens on port ${address.port}, but the option \`issuer\` is ${issuer}: set \`issuer\` to ` +
        `http://${hostname}:${address.port}, or listen on port ${expected}. If a proxy or a container maps the port, ignore this.`,
    );
  });
}
