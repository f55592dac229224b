import { promisify } from 'node:util';
import type { Request } from 'express';

/** An Express request with the properties of express-session and Passport. */
export type PassportRequest = Request;

/** Signs a user in. Passport creates a new session ID to prevent session fixation, and keeps the session data. */
export const startSession = (request: PassportRequest, user: object): Promise<void> =>
  promisify((callback: (error?: unknown) => void) =>
    request.logIn(user, { session: true, keepSessionInfo: true }, callback),
  )();

/** Signs the user out. */
export const endSession = (request: PassportRequest): Promise<void> =>
  promisify((callback: (error?: unknown) => void) => request.logOut(callback))();
