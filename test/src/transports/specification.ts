import { readFileSync } from 'node:fs';
import { freePort } from '../../support/free-port.js';
import type { Start } from './driver.js';
import { nativeWebSocket, socketIo } from './drivers/gateway.js';
import { operation, subscription } from './drivers/graphql.js';
import { http, sse } from './drivers/http.js';
import { grpc, hybridTcp, nats, redis, tcp } from './drivers/microservice.js';

/** What is observed of a transport. */
export interface Row {
  transport: string;
  driver: string;
  /** Where the token travels. */
  token: string;
  /** What a handler says to a good token. */
  valid: string;
  missing: string;
  expired: string;
  insufficient: string;
  /** Of what is asked again, or, where something stays open, of that. */
  revoked: string;
}

/** The one table of transports: the tests run it, and docs/transports.md shows it. */
export const TRANSPORTS = JSON.parse(
  readFileSync(new URL('specification.json', import.meta.url), 'utf8'),
) as readonly Row[];

/** The port of the server that the test starts where the machine has one. */
export const NATS_PORT = await freePort();

/** Who runs a row, by its `driver`. */
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
