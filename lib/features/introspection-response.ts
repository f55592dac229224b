import { capability } from '../contracts/capability.js';
import type { ClientRequest } from '../contracts/client-request.js';
import type { Awaitable } from '../model/model.js';

/** The members of an introspection response. RFC 7662 §2.2 */
export type Introspection = { active: boolean; [member: string]: unknown };

/** Writes introspection responses in another format than JSON. RFC 9701 §4 */
export interface IntrospectionWriter {
  /** Returns the text of a response. `undefined`: the response is JSON. */
  write(introspection: Introspection, request: ClientRequest): Awaitable<string | undefined>;
}

/** The key for the format of introspection responses, which `signedIntrospection()` provides. */
export const INTROSPECTION_WRITER = capability<IntrospectionWriter>('introspection writer', 'signedIntrospection');

/** The media type of a signed introspection response. RFC 9701 §5 */
export const SIGNED_INTROSPECTION_TYPE = 'application/token-introspection+jwt';
