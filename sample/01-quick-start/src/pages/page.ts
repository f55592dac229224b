import { storageNotice } from '../database.js';
import { type Html, html } from 'nest-oauth2/pages';

/** The headers of every page. They allow only scripts and styles of this origin, and forbid framing and caching. */
export const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Renders a page with the common header and footer. */
export function page({ title, main, script }: { title: string; main: Html; script?: string }): string {
  return String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title}</title>
          <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
          <link rel="stylesheet" href="/assets/style.css" />
          ${script && html`<script type="module" src="/assets/${script}"></script>`}
        </head>
        <body>
          <header class="masthead">
            <a href="/"><img src="/assets/icon.svg" alt="" width="28" height="28" /> nest-oauth2</a>
            <span>Quick start</span>
          </header>
          ${main}
          <footer class="footnote">${storageNotice} This includes logins, consents, tokens and notes.</footer>
        </body>
      </html>`,
  );
}
