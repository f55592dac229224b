import type { ExecutionContext } from '@nestjs/common';
import { InvalidArgumentError } from '../../../lib/index.js';
import { graphql } from './graphql.js';
import { http } from './http.js';
import { rpc } from './rpc.js';
import type { Transport } from './transport.js';
import { ws } from './ws.js';

const TRANSPORTS = new Map<string, Transport>([
  ['http', http],
  ['graphql', graphql],
  ['ws', ws],
  ['rpc', rpc],
]);

/**
 * Returns the transport of a request.
 * @throws {InvalidArgumentError} If the type of the execution context is unknown.
 */
export function findTransport(context: ExecutionContext): Transport {
  const type = context.getType<string>();
  const transport = TRANSPORTS.get(type);
  if (transport) return transport;
  throw new InvalidArgumentError(
    `Invalid argument: OAuthGuard does not support requests of the type '${type}': write your own guard for them`,
  );
}
