import type { ExecutionContext } from '@nestjs/common';
import type { OAuthError, Response, Token } from '../../../lib/index.js';
import type { NativeRequest } from '../../http/http-adapter.js';
import type { NativeReply } from '../../http/native-reply.js';
import type { AccessRequirements } from '../access-requirements.js';

/** Where the guard leaves what it found, and the decorators look for it. */
export interface AttachedToken {
  /** There, if undefined, once the guard has looked at the request. */
  oauth2?: { token: Token } | undefined;
}

/** The native request, with what `OAuthGuard` leaves on it. */
export interface GuardedRequest extends NativeRequest, AttachedToken {}

/** What is known of a refusal, beside the error. */
export interface RefusalContext {
  /** The engine's answer: its headers hold the challenge. RFC 6750 §3 */
  readonly response: Response;
  /** What was thrown; often the error itself. */
  readonly cause: unknown;
}

/** Something that stays open once a request has been let in. */
export interface OpenStream {
  /** One object for as long as it is open. */
  readonly key: object;
  onClosed(callback: () => void): void;
  close(reason: OAuthError): void;
}

/** How one kind of request brings its token, and how it is turned away. */
export interface Transport {
  /** What the token is read from. */
  readRequest(context: ExecutionContext): NativeRequest;
  /** The reply on which the engine's headers go, if there is one. */
  findReply?(context: ExecutionContext): NativeReply | undefined;
  findAttachedToken(context: ExecutionContext): AttachedToken;
  /** Returns the object that identifies the native request, for transports that call the guard several times per request. */
  findRequestKey?(context: ExecutionContext): object | undefined;
  toException(failure: OAuthError, facts: RefusalContext, context: ExecutionContext): Error | Promise<Error>;
  /** What stays open for longer than its answer takes. */
  findStream?(context: ExecutionContext, requirements: AccessRequirements): OpenStream | undefined;
}

const attached = new WeakMap<object, AttachedToken>();

/** The same for what must not be written on: a message, or a context of the host. */
export function attachedTokenOf(key: object): AttachedToken {
  let found = attached.get(key);
  if (!found) attached.set(key, (found = {}));
  return found;
}
