import type { ExecutionContext } from '@nestjs/common';
import type { OAuthError, Response, Token } from '../../../lib/index.js';
import type { NativeRequest } from '../../http/http-adapter.js';
import type { NativeReply } from '../../http/native-reply.js';
import type { AccessRequirements } from '../access-requirements.js';

/** The object to which the guard attaches the token for the parameter decorators. */
export interface AttachedToken {
  /** Present once the guard has handled the request. `undefined` if there is no valid token. */
  oauth2?: { token: Token } | undefined;
}

/** The native request, with the token that `OAuthGuard` attaches. */
export interface GuardedRequest extends NativeRequest, AttachedToken {}

/** What `handleRefusal()` receives in addition to the OAuth error: the engine's response and the original error. */
export interface RefusalContext {
  /** The engine's response, with the challenge in its headers. RFC 6750 §3 */
  readonly response: Response;
  /** The original error, often the OAuth error itself. */
  readonly cause: unknown;
}

/** A connection or stream that stays open after its request was accepted. */
export interface OpenStream {
  /** The object that identifies the stream as long as it is open. */
  readonly key: object;
  /** Whether it was closed while its token was looked up, so that `onClosed()` would never call back. */
  readonly isClosed: boolean;
  onClosed(callback: () => void): void;
  close(reason: OAuthError): void;
}

/** The transport of a request: how its token is read and how it is rejected. */
export interface Transport {
  /** Returns the request that the token is read from. */
  readRequest(context: ExecutionContext): NativeRequest;
  /** Returns the reply that receives the engine's headers. `undefined` if the transport has no reply. */
  findReply?(context: ExecutionContext): NativeReply | undefined;
  findAttachedToken(context: ExecutionContext): AttachedToken;
  /**
   * Returns an object that identifies the native request, for transports that call the guard several times per request.
   */
  findRequestKey?(context: ExecutionContext): object | undefined;
  toException(failure: OAuthError, refusal: RefusalContext, context: ExecutionContext): Error | Promise<Error>;
  /**
   * Returns the connection or stream that stays open after the request, to close it with its token. `undefined` if
   * nothing stays open.
   */
  findStream?(context: ExecutionContext, requirements: AccessRequirements): OpenStream | undefined;
}

const attached = new WeakMap<object, AttachedToken>();

/**
 * Returns the token that belongs to an object of the application, such as a message or a GraphQL context. It is stored
 * outside of the object, which must not be modified.
 */
export function attachedTokenOf(key: object): AttachedToken {
  let token = attached.get(key);
  if (!token) attached.set(key, (token = {}));
  return token;
}
