import { readFileSync } from 'node:fs';
import { freePort } from '../../support/environment/free-port.js';
import type { Start } from './driver.js';
import { nativeWebSocket, socketIo } from './drivers/gateway.js';
import { operation, subscription } from './drivers/graphql.js';
import { http, sse } from './drivers/http.js';
import { grpc, hybridTcp, nats, redis, tcp } from './drivers/microservice.js';

/** The observed responses of a transport. */
export interface Row {
  transport: string;
  driver: string;
  /** Where the token is sent. */
  token: string;
  /** The response to a valid token. */
  valid: string;
  missing: string;
  expired: string;
  insufficient: string;
  /** The response to a revoked token, or how an open connection ends. */
  revoked: string;
}

/** The table of transports: the tests run it, and docs/reference/transports.md contains it. */
export const TRANSPORTS = JSON.parse(
  readFileSync(new URL('specification.json', import.meta.url), 'utf8'),
) as readonly Row[];

/** The port of the NATS server, which the test starts if it is installed. */
export const NATS_PORT = await freePort();

/** The functions that run each row, by its `driver`. */
export const DRIVERS: Readonly<Record<string, Start>> = {
  'http express': http('express'),
  'http fastify': http('fastify'),
  'sse express': sse('express'),
  'sse fastify': sse('fastify'),
  'apollo query': operation('apollo', '{ notes }'),
  'apollo mutation': operation('apollo', 'mutation { note }'),
  'apollo subscription by params': subscription('apollo', 'connection params'),
  'apollo subscription by header': subscription('apollo', 'upgrade header'),
  'mercurius query': operation('mercurius', '{ notes }'),
  'mercurius mutation': operation('mercurius', 'mutation { note }'),
  'mercurius subscription by params': subscription('mercurius', 'connection params'),
  'mercurius subscription by header': subscription('mercurius', 'upgrade header'),
  ws: nativeWebSocket,
  'socket.io': socketIo,
  tcp,
  redis,
  nats: nats(NATS_PORT),
  grpc,
  'hybrid tcp': hybridTcp,
};
