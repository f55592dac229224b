import type { ExecutionContext } from '@nestjs/common';
import { toHttpException } from '../http-exception.js';
import { authorizationIn, authorizationMember } from './handshake.js';
import { type OAuthRefusal, refusalPayload } from './refusal-payload.js';
import { attachedTokenOf, type Transport } from './transport.js';

/** The metadata of gRPC, its equivalent of headers. */
interface Metadata {
  get(name: string): unknown[];
  set(name: string, value: string): void;
  getMap(): object;
}

/** The contexts of Nest's transporters. Each returns headers in a different way. */
interface RpcContext {
  getHeaders?(): unknown;
  getMetadata?(): unknown;
  getMessage?(): { headers?: unknown; properties?: { headers?: unknown } } | undefined;
  getPacket?(): { properties?: { userProperties?: unknown } } | undefined;
}

/** The status of a rejected gRPC call, with the error payload. */
interface GrpcStatus extends OAuthRefusal {
  code: number;
  details: string;
  metadata: Metadata;
}

/**
 * Microservice messages. The token is the value `authorization` in gRPC metadata, in the headers of a record (NATS,
 * RabbitMQ, Kafka, MQTT), or in the data if the transporter has no headers (TCP, Redis). RFC 6750 §2.1
 */
export const rpc: Transport = {
  readRequest(context) {
    const authorization = findAuthorization(context);
    return { headers: authorization === undefined ? {} : { authorization }, method: 'POST', url: '/', query: {} };
  },
  findAttachedToken: (context) => attachedTokenOf(keyOf(context)),
  async toException(failure, { response, cause }, context) {
    const payload = refusalPayload(failure);
    const metadata = context.getArgByIndex<unknown>(1);
    try {
      const { RpcException } = await import('@nestjs/microservices');
      const challenge = response.headers['www-authenticate'];
      return new RpcException(isGrpc(metadata) ? grpcStatus(payload, metadata, challenge) : payload);
    } catch {
      return toHttpException(failure, cause);
    }
  },
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isGrpc = (context: unknown): context is Metadata =>
  isObject(context) && 'getMap' in context && 'get' in context && 'set' in context;

/** Returns an object that belongs to one message: its context, or its data, which may not be an object. */
function keyOf(context: ExecutionContext): object {
  const [data, messageContext] = [context.getArgByIndex<unknown>(0), context.getArgByIndex<unknown>(1)];
  return isObject(messageContext) ? messageContext : isObject(data) ? data : context.getArgs();
}

function findAuthorization(context: ExecutionContext): string | undefined {
  const messageContext = context.getArgByIndex<RpcContext | Metadata | undefined>(1);
  if (isGrpc(messageContext)) return textOf(messageContext.get('authorization')[0]);
  return authorizationOf(headersOf(messageContext)) ?? authorizationIn(context.getArgByIndex(0));
}

function headersOf(context: RpcContext | undefined): unknown {
  const headers = context?.getHeaders?.() ?? context?.getMetadata?.();
  if (headers) return headers;
  const message = context?.getMessage?.();
  return message?.headers ?? message?.properties?.headers ?? context?.getPacket?.()?.properties?.userProperties;
}

/** Returns the `authorization` header. NATS headers have a `get()` method, others are plain objects. */
function authorizationOf(headers: unknown): string | undefined {
  if (isObject(headers) && 'get' in headers && typeof headers.get === 'function') {
    const container = headers as { get(name: string): unknown };
    return textOf(container.get('authorization')) ?? textOf(container.get('Authorization'));
  }
  return textOf(authorizationMember(headers));
}

/**
 * Returns a header value as text. Kafka headers are buffers. `undefined` if the value is empty, or neither text nor a
 * buffer.
 */
const textOf = (value: unknown) =>
  typeof value === 'string' || Buffer.isBuffer(value) ? String(value) || undefined : undefined;

/**
 * Returns the gRPC status of a refusal. Clients receive its code, details and metadata, which contain the challenge
 * under its HTTP header name.
 */
function grpcStatus(payload: OAuthRefusal, request: Metadata, challenge: string | undefined): GrpcStatus {
  const { statusCode, error, error_description } = payload;
  const metadata = new (request.constructor as new () => Metadata)();
  if (challenge !== undefined) metadata.set('www-authenticate', challenge);
  const code = CODES[statusCode] ?? (statusCode < 500 ? INVALID_ARGUMENT : UNAVAILABLE);
  return { ...payload, code, details: `${error}: ${error_description}`, metadata };
}

const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;
/** The gRPC status codes UNAUTHENTICATED, PERMISSION_DENIED and INTERNAL, by HTTP status. */
const CODES: Record<number, number> = { 401: 16, 403: 7, 500: 13 };
