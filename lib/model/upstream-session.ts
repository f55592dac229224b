import { hash } from 'node:crypto';

/** The session at another provider with which a user signed in. */
export interface UpstreamSession {
  /** The issuer of the provider. */
  readonly iss: string;
  /** The identifier of the user at the provider. */
  readonly sub: string;
  /** The ID of the session at the provider, if its ID token contained one. OpenID Connect Back-Channel Logout 1.0 §2.1 */
  readonly sid?: string | undefined;
}

const PREFIX = 'upstream ';

/**
 * Returns the `clientId` under which a model records the session at a provider, like a client of the session, so that
 * sessions can be listed by it.
 */
export const upstreamClientId = ({ iss, sid }: Required<Pick<UpstreamSession, 'iss' | 'sid'>>): string =>
  `${PREFIX}${hash('sha256', JSON.stringify([iss, sid]), 'base64url')}`;

/** Whether a recorded client of a session is the session at a provider. It is never notified. */
export const isUpstreamClient = ({ clientId }: { readonly clientId: string }): boolean => clientId.startsWith(PREFIX);
