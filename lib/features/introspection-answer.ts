import type { ClientRequest } from '../contracts/client-request.js';
import type { Feature, ServerContext } from '../contracts/feature.js';
import type { Awaitable, Client, User } from '../model/model.js';

/** What is said of a token. RFC 7662 §2.2 */
export type Introspection = { active: boolean; [member: string]: unknown };

/** A feature that writes the answer of introspection; undefined: it is JSON. RFC 9701 §4 */
export interface IntrospectionWriter extends Feature {
  writeIntrospection(
    said: Introspection,
    exchange: ClientRequest,
    server: ServerContext,
  ): Awaitable<string | undefined>;
}

export const isWriter = (feature: Feature): feature is IntrospectionWriter => 'writeIntrospection' in feature;

/** A feature by which a user may have another name at a client. OpenID Connect Core §8 */
interface Naming extends Feature {
  subjectOf(server: ServerContext, user: User, client: Client, issued?: object): string;
}

export const isNaming = (feature: Feature): feature is Naming => 'subjectOf' in feature;

/** The media type of an answer that is signed. RFC 9701 §5 */
export const SIGNED = 'application/token-introspection+jwt';
