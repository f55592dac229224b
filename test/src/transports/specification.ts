import type { Start } from './driver.js';
import { nativeWebSocket, socketIo } from './drivers/gateway.js';
import { operation, subscription } from './drivers/graphql.js';
import { http, sse } from './drivers/http.js';
import { grpc, hybridTcp, nats, redis, tcp } from './drivers/microservice.js';

/** What is observed of a transport: what a handler says to a good token, and what comes of all others. */
export interface Row {
  name: string;
  /** Where the token travels. */
  token: string;
  start: Start;
  valid: string;
  missing: string;
  expired: string;
  insufficient: string;
  /** Of what was asked again, or, where something stays open, of that. */
  revoked: string;
}

/** The port of the server that the test starts where the machine has one. */
export const NATS_PORT = 14_222;

const valid = 'alice by app, notes:read';

const HTTP = {
  valid,
  missing: '401 `unauthorized_request`, challenge',
  expired: '401 `invalid_token`, challenge',
  insufficient: '403 `insufficient_scope`, challenge',
  revoked: '401 `invalid_token`, challenge',
};
const GRAPHQL = {
  valid,
  missing: '`UNAUTHENTICATED` `unauthorized_request`',
  expired: '`UNAUTHENTICATED` `invalid_token`',
  insufficient: '`FORBIDDEN` `insufficient_scope`',
  revoked: '`UNAUTHENTICATED` `invalid_token`',
};
const SUBSCRIPTION = { ...GRAPHQL, revoked: 'closed with 4401 `invalid_token`' };
const MESSAGE = {
  valid,
  missing: 'error 401 `unauthorized_request`',
  expired: 'error 401 `invalid_token`',
  insufficient: 'error 403 `insufficient_scope`',
  revoked: 'error 401 `invalid_token`',
};

const header = '`Authorization` header';
const data = '`authorization` in the data';

/** The one table of transports: the tests run it, and docs/transports.md shows it. */
export const TRANSPORTS: readonly Row[] = [
  { name: 'HTTP, Express', token: header, start: http('express'), ...HTTP },
  { name: 'HTTP, Fastify', token: header, start: http('fastify'), ...HTTP },
  { name: 'SSE, Express', token: header, start: sse('express'), ...HTTP, revoked: 'the stream ends' },
  { name: 'SSE, Fastify', token: header, start: sse('fastify'), ...HTTP, revoked: 'the stream ends' },
  { name: 'GraphQL query, Apollo', token: header, start: operation('apollo', '{ notes }'), ...GRAPHQL },
  { name: 'GraphQL mutation, Apollo', token: header, start: operation('apollo', 'mutation { note }'), ...GRAPHQL },
  {
    name: 'GraphQL subscription, Apollo',
    token: '`Authorization` in the connection params',
    start: subscription('apollo', 'connection params'),
    ...SUBSCRIPTION,
  },
  {
    name: 'GraphQL subscription, Apollo',
    token: `${header} of the upgrade`,
    start: subscription('apollo', 'upgrade header'),
    ...SUBSCRIPTION,
  },
  { name: 'GraphQL query, Mercurius', token: header, start: operation('mercurius', '{ notes }'), ...GRAPHQL },
  {
    name: 'GraphQL mutation, Mercurius',
    token: header,
    start: operation('mercurius', 'mutation { note }'),
    ...GRAPHQL,
  },
  {
    name: 'GraphQL subscription, Mercurius',
    token: '`Authorization` in the connection params',
    start: subscription('mercurius', 'connection params'),
    ...SUBSCRIPTION,
  },
  {
    name: 'GraphQL subscription, Mercurius',
    token: `${header} of the upgrade`,
    start: subscription('mercurius', 'upgrade header'),
    ...SUBSCRIPTION,
  },
  {
    name: 'Gateway, `ws`',
    token: `${header} of the handshake`,
    start: nativeWebSocket,
    valid,
    missing: 'exception `unauthorized_request`, closed with 4401',
    expired: 'exception `invalid_token`, closed with 4401',
    insufficient: 'exception `insufficient_scope`, closed with 4403',
    revoked: 'exception `invalid_token`, closed with 4401',
  },
  {
    name: 'Gateway, socket.io',
    token: '`auth.token` or header of the handshake',
    start: socketIo,
    valid,
    missing: 'exception `unauthorized_request`, io server disconnect',
    expired: 'exception `invalid_token`, io server disconnect',
    insufficient: 'exception `insufficient_scope`, io server disconnect',
    revoked: 'exception `invalid_token`, io server disconnect',
  },
  { name: 'Microservice, TCP', token: data, start: tcp, ...MESSAGE },
  { name: 'Microservice, Redis', token: data, start: redis, ...MESSAGE },
  { name: 'Microservice, NATS', token: '`authorization` header of the record', start: nats(NATS_PORT), ...MESSAGE },
  {
    name: 'Microservice, gRPC',
    token: '`authorization` metadata',
    start: grpc,
    valid,
    missing: 'status 16 `unauthorized_request`, challenge',
    expired: 'status 16 `invalid_token`, challenge',
    insufficient: 'status 7 `insufficient_scope`, challenge',
    revoked: 'status 16 `invalid_token`, challenge',
  },
  { name: 'Hybrid application, TCP with `APP_GUARD`', token: data, start: hybridTcp, ...MESSAGE },
];
