import { capability } from '../contracts/capability.js';
import type { ClientRequest } from '../contracts/client-request.js';
import type { Awaitable } from '../model/model.js';

/** The members of an introspection response. RFC 7662 §2.2 */
export type Introspection = { active: boolean; [member: string]: unknown };

/** A writer of introspection responses in another format than JSON. RFC 9701 §4 */
export interface IntrospectionWriter {
  /** Returns the text of an introspection response. `undefined` if this client receives JSON. */
  write(introspection: Introspection, request: ClientRequest): Awaitable<string | undefined>;
}

/** The capability key under which `signedIntrospection()` provides its `IntrospectionWriter`. */
export const INTROSPECTION_WRITER = capability<IntrospectionWriter>('introspection writer', 'signedIntrospection');

/** The media type of a signed introspection response. RFC 9701 §5 */
export const SIGNED_INTROSPECTION_TYPE = 'application/token-introspection+jwt';
