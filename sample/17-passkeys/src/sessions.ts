import { promisify } from 'node:util';
import type { Request } from 'express';
import type { Sessions } from 'nest-oauth2/pages';
import { accounts } from './accounts.js';

declare module 'express-session' {
  interface SessionData {
    signedIn?: { id: string; authTime: number };
    /** The pending challenge and, for a registration, the name of the new account. */
    challenge?: { value: string; name?: string };
  }
}

/** Starts a session for a user, with a new session ID to prevent session fixation. */
export async function startSession(request: Request, id: string): Promise<void> {
  const { client } = request.session;
  await promisify((callback: (error?: unknown) => void) => request.session.regenerate(callback))();
  Object.assign(request.session, { client, signedIn: { id, authTime: Date.now() } });
}

/** Ends the session of the browser. */
export const endSession = (request: Request): Promise<void> =>
  promisify((callback: (error?: unknown) => void) => request.session.destroy(callback))();

const signedInOf = (native: unknown) => (native as Request).session.signedIn;

/** The adapter from which the library's pages read the signed-in user, the sign-in time and the sign-in method. */
export const sessions: Sessions = {
  find: ({ native }) => accounts.findById(signedInOf(native)?.id),
  // A hardware key (`hwk`) unlocked by its user counts as two factors (`mfa`). RFC 8176
  howSignedIn: (_user, { native }) => ({
    authTime: new Date(signedInOf(native)!.authTime),
    amr: ['hwk', 'user', 'mfa'],
  }),
  start: (user, { native }) => startSession(native as Request, user['id'] as string),
  end: ({ native }) => endSession(native as Request),
};
