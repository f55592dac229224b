import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { database } from './database.js';
import { type DemoUser, users } from './demo-data.js';
import { Session } from './tables.js';

const hours = 60 * 60 * 1000;

/** Signed by cookie-parser (HMAC-SHA256) and out of reach of scripts. Add `secure: true` where there is https. */
const cookie = { httpOnly: true, sameSite: 'lax', signed: true, path: '/' } as const;

/**
 * Remembers who is signed in in this browser. The cookie is only the name of a session, a new one at each login; the
 * session itself is a row here, so that signing out ends it, whoever has a copy of the cookie.
 */
export async function startSession(request: Request, response: Response, user: DemoUser): Promise<void> {
  await forget(request);
  const id = randomBytes(32).toString('base64url');
  await database.manager.insert(Session, { digest: digest(id), userId: user.id, until: Date.now() + 8 * hours });
  response.cookie('session', id, { ...cookie, maxAge: 8 * hours });
}

export async function endSession(request: Request, response: Response): Promise<void> {
  await forget(request);
  response.clearCookie('session', cookie);
}

/** Who is signed in in this browser, if anybody. */
export async function findSignedInUser(request: Request): Promise<DemoUser | undefined> {
  const id = sessionOf(request);
  const session = id === undefined ? null : await database.manager.findOneBy(Session, { digest: digest(id) });
  return session && session.until > Date.now() ? users.findById(session.userId) : undefined;
}

async function forget(request: Request): Promise<void> {
  const id = sessionOf(request);
  if (id !== undefined) await database.manager.delete(Session, { digest: digest(id) });
}

function sessionOf(request: Request): string | undefined {
  const id: unknown = request.signedCookies?.session;
  return typeof id === 'string' ? id : undefined;
}

/** Who reads the table cannot sign in with what stands there. */
const digest = (id: string) => createHash('sha256').update(id).digest('base64url');

/**
 * Another site can make a browser send our login form, but it cannot read this cookie: the form counts only when it
 * carries the same value.
 */
export function loginFormToken(request: Request, response: Response): string {
  const token: string = request.signedCookies?.login_form || randomBytes(16).toString('base64url');
  response.cookie('login_form', token, cookie);
  return token;
}

export function isOurLoginForm(request: Request): boolean {
  const token = request.signedCookies?.login_form;
  return typeof token === 'string' && token !== '' && token === request.body?.form_token;
}

/** A path on this server, else `/`: what arrives in a link must not decide where a fresh login is sent. */
export function localPath(value: unknown): string {
  const here = 'http://here.invalid';
  if (typeof value !== 'string' || !URL.canParse(value, here)) return '/';
  const { origin, pathname, search } = new URL(value, here);
  return origin === here && !pathname.startsWith('//') ? pathname + search : '/';
}
