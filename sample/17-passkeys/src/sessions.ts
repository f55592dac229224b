import { promisify } from 'node:util';
import type { Request } from 'express';
import type { Sessions } from 'nest-oauth2/pages';
import { accounts } from './accounts.js';

declare module 'express-session' {
  interface SessionData {
    signedIn?: { id: string; authTime: number };
    /** What a passkey is to sign, once; and the name of the account that it is to make, if it is to. */
    challenge?: { text: string; name?: string };
  }
}

/** A new session for whoever has signed in: the cookie that somebody planted there before is worth nothing. */
export async function startSession(request: Request, id: string): Promise<void> {
  const { client } = request.session;
  await promisify((done: (error?: unknown) => void) => request.session.regenerate(done))();
  Object.assign(request.session, { client, signedIn: { id, authTime: Date.now() } });
}

export const endSession = (request: Request): Promise<void> =>
  promisify((done: (error?: unknown) => void) => request.session.destroy(done))();

const signedInOf = (native: unknown) => (native as Request).session.signedIn;

/** Who is signed in, and how: the pages ask here. */
export const sessions: Sessions = {
  find: ({ native }) => accounts.findById(signedInOf(native)?.id),
  // A passkey is a key in hardware, opened by its owner: two factors. RFC 8176
  howSignedIn: (_user, { native }) => ({
    authTime: new Date(signedInOf(native)!.authTime),
    amr: ['hwk', 'user', 'mfa'],
  }),
  start: (user, { native }) => startSession(native as Request, user['id'] as string),
  end: ({ native }) => endSession(native as Request),
};
