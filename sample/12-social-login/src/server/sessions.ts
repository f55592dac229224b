import { promisify } from 'node:util';
import type { Request } from 'express';
import type { SignIn } from 'nest-oauth2';
import type { Sessions } from 'nest-oauth2/pages';
import { accounts } from './accounts.js';

declare module 'express-session' {
  interface SessionData {
    signedIn?: { id: string; authTime: number; amr?: readonly string[] };
    /** The pending sign-in at the provider. */
    pending?: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string; returnTo: string };
  }
}

/** Starts a session for a user, with a new session ID to prevent session fixation. */
export async function startSession(
  request: Request,
  id: string,
  { authTime = new Date(), amr }: SignIn,
): Promise<void> {
  const { client } = request.session;
  await promisify((callback: (error?: unknown) => void) => request.session.regenerate(callback))();
  Object.assign(request.session, { client, signedIn: { id, authTime: authTime.getTime(), amr } });
}

/** Ends the session of the browser. */
export const endSession = (request: Request): Promise<void> =>
  promisify((callback: (error?: unknown) => void) => request.session.destroy(callback))();

const signedInOf = (native: unknown) => (native as Request).session.signedIn;

/** The adapter from which the library's pages read the signed-in user, the sign-in time and the sign-in method. */
export const sessions: Sessions = {
  find: ({ native }) => accounts.findById(signedInOf(native)?.id),
  howSignedIn(_user, { native }) {
    const { authTime, amr } = signedInOf(native)!;
    return { authTime: new Date(authTime), amr };
  },
  start: (user, { native }) => startSession(native as Request, user['id'] as string, {}),
  end: ({ native }) => endSession(native as Request),
};
