import { promisify } from 'node:util';
import type { Request } from 'express';

/** What express-session and Passport make of a request. */
export type PassportRequest = Request;

/**
 * Passport gives the browser a new session: the cookie that somebody planted there before is worth nothing. What stood in
 * the session moves along.
 */
export const startSession = (request: PassportRequest, user: object): Promise<void> =>
  promisify((done: (error?: unknown) => void) => request.logIn(user, { session: true, keepSessionInfo: true }, done))();

export const endSession = (request: PassportRequest): Promise<void> =>
  promisify((done: (error?: unknown) => void) => request.logOut(done))();
