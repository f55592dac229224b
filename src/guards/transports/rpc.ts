import type { ExecutionContext } from '@nestjs/common';
import { toHttpException } from '../http-exception.js';
import { authorizationIn } from './handshake.js';
import { type OAuthRefusal, refusalPayload } from './refusal-payload.js';
import { attachedTokenOf, type Transport } from './transport.js';

/** What gRPC calls its headers. */
interface Metadata {
  get(name: string): unknown[];
  set(name: string, value: string): void;
  getMap(): object;
}

/** The contexts of Nest's transporters, each with headers of its own. */
interface RpcContext {
  getHeaders?(): unknown;
  getMetadata?(): unknown;
  getMessage?(): { headers?: unknown; properties?: { headers?: unknown } } | undefined;
  getPacket?(): { properties?: { userProperties?: unknown } } | undefined;
}

/** What a refused call of gRPC ends with, beside the refusal. */
interface GrpcStatus extends OAuthRefusal {
  code: number;
  details: string;
  metadata: Metadata;
}

/**
 * Messages of microservices. Their token stands under `authorization`: in the metadata of gRPC, in the headers of a record
 * (NATS, RabbitMQ, Kafka, MQTT), and, where a transporter has none (TCP, Redis), in the data. RFC 6750 §2.1
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

/** The context of a message belongs to it alone; data may be a text. */
function keyOf(context: ExecutionContext): object {
  const [data, given] = [context.getArgByIndex<unknown>(0), context.getArgByIndex<unknown>(1)];
  return isObject(given) ? given : isObject(data) ? data : context.getArgs();
}

function findAuthorization(context: ExecutionContext): string | undefined {
  const given = context.getArgByIndex<RpcContext | Metadata | undefined>(1);
  if (isGrpc(given)) return textOf(given.get('authorization')[0]);
  return authorizationOf(headersOf(given)) ?? authorizationIn(context.getArgByIndex(0));
}

function headersOf(context: RpcContext | undefined): unknown {
  const headers = context?.getHeaders?.() ?? context?.getMetadata?.();
  if (headers) return headers;
  const message = context?.getMessage?.();
  return message?.headers ?? message?.properties?.headers ?? context?.getPacket?.()?.properties?.userProperties;
}

/** Headers are an object, or, of NATS, something that is asked for one. */
function authorizationOf(headers: unknown): string | undefined {
  if (isObject(headers) && 'get' in headers && typeof headers.get === 'function') {
    const asked = headers as { get(name: string): unknown };
    return textOf(asked.get('authorization')) ?? textOf(asked.get('Authorization'));
  }
  const named = isObject(headers) && Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization');
  return named ? textOf(named[1]) : undefined;
}

/** Kafka has bytes. */
const textOf = (value: unknown) =>
  typeof value === 'string' || Buffer.isBuffer(value) ? String(value) || undefined : undefined;

/** A client of gRPC sees a number, a text and metadata; the challenge goes where HTTP has it. */
function grpcStatus(payload: OAuthRefusal, asked: Metadata, challenge: string | undefined): GrpcStatus {
  const { statusCode, error, error_description } = payload;
  const metadata = new (asked.constructor as new () => Metadata)();
  if (challenge !== undefined) metadata.set('www-authenticate', challenge);
  const code = CODES[statusCode] ?? (statusCode < 500 ? INVALID_ARGUMENT : UNAVAILABLE);
  return { ...payload, code, details: `${error}: ${error_description}`, metadata };
}

const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;
/** UNAUTHENTICATED, PERMISSION_DENIED and INTERNAL. */
const CODES: Record<number, number> = { 401: 16, 403: 7, 500: 13 };
