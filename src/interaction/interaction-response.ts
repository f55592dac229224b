import { InvalidArgumentError, type Response } from '../../lib/index.js';
import type { InteractionResponse } from '../interfaces/oauth2-interaction.interface.js';
import { NO_FRAMES } from '../http/native-reply.js';

/**
 * The default headers of a page for one user. They keep it out of caches, frames and `Referer` headers.
 * RFC 9700 §4.2.4, §4.16
 */
const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': NO_FRAMES,
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

type Redirect = Extract<InteractionResponse, { redirect: string }>;
type Page = Extract<InteractionResponse, { html: string }>;

/**
 * Writes the redirect or page that an interaction returned.
 * @throws {InvalidArgumentError} If it returned neither.
 */
export function writeInteractionResponse(response: Response, result: InteractionResponse): void {
  const { redirect, html, status = 200, headers = {} } = (result ?? {}) as Partial<Page & Redirect>;
  if (typeof redirect === 'string') {
    response.set('cache-control', 'no-store');
    response.redirect(headerText(redirect));
  } else if (typeof html === 'string') {
    response.status = status;
    response.body = html;
    Object.assign(response.headers, PAGE_HEADERS);
    for (const [name, value] of Object.entries(headers)) response.set(name, value);
  } else {
    throw new InvalidArgumentError('Invalid argument: an interaction must return `{ redirect }` or `{ html }`');
  }
}

/** Encodes the characters of a URL that a header must not contain. */
const headerText = (url: string) => url.replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
