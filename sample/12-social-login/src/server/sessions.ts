import { promisify } from 'node:util';
import type { Request } from 'express';
import type { SignIn } from 'nest-oauth2';
import type { Sessions } from 'nest-oauth2/pages';
import { accounts } from './accounts.js';

declare module 'express-session' {
  interface SessionData {
    signedIn?: { id: string; authTime: number; amr?: readonly string[] };
    /** What was begun at the provider and is not finished. */
    begun?: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string; returnTo: string };
  }
}

/** A new session for whoever has signed in: the cookie that somebody planted there before is worth nothing. */
export async function startSession(
  request: Request,
  id: string,
  { authTime = new Date(), amr }: SignIn,
): Promise<void> {
  const { client } = request.session;
  await promisify((done: (error?: unknown) => void) => request.session.regenerate(done))();
  Object.assign(request.session, { client, signedIn: { id, authTime: authTime.getTime(), amr } });
}

export const endSession = (request: Request): Promise<void> =>
  promisify((done: (error?: unknown) => void) => request.session.destroy(done))();

const signedInOf = (native: unknown) => (native as Request).session.signedIn;

/** Who is signed in, and how: the pages ask here. */
export const sessions: Sessions = {
  find: ({ native }) => accounts.findById(signedInOf(native)?.id),
  howSignedIn(_user, { native }) {
    const { authTime, amr } = signedInOf(native)!;
    return { authTime: new Date(authTime), amr };
  },
  start: (user, { native }) => startSession(native as Request, user['id'] as string, {}),
  end: ({ native }) => endSession(native as Request),
};
