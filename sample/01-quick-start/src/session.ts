import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { type DemoUser, users } from './demo-data.js';

const hours = 60 * 60 * 1000;

/** Signed by cookie-parser (HMAC-SHA256) and out of reach of scripts. Add `secure: true` where there is https. */
const cookie = { httpOnly: true, sameSite: 'lax', signed: true, path: '/' } as const;

/** Remembers in this browser who is signed in. */
export function startSession(response: Response, user: DemoUser): void {
  const session = { userId: user.id, until: Date.now() + 8 * hours };
  response.cookie('session', session, { ...cookie, maxAge: 8 * hours });
}

export function endSession(response: Response): void {
  response.clearCookie('session', cookie);
}

/** Who is signed in in this browser, if anybody. */
export async function findSignedInUser(request: Request): Promise<DemoUser | undefined> {
  const session: { userId?: string; until?: number } = request.signedCookies?.session || {};
  return Number(session.until) > Date.now() ? users.findById(session.userId) : undefined;
}

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
