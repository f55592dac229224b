import type { FrameContext } from '../render/contexts.js';
import { type Html, html } from '../render/html.js';
import { isRightToLeft } from '../render/language.js';

/** Renders the document around every page. It has no scripts and a single style element. */
export function frame({ language, title, main, style, site, logo, home }: FrameContext): Html {
  const picture = logo !== undefined && html`<img src="${logo}" alt="${site === undefined ? 'Logo' : ''}" />`;
  return html`<!doctype html>
    <html lang="${language}" dir="${isRightToLeft(language) ? 'rtl' : 'ltr'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}${site !== undefined && html` · ${site}`}</title>
        <link rel="icon" href="${logo ?? 'data:,'}" />
        ${style}
      </head>
      <body>
        ${(picture || site !== undefined) && html`<header><a href="${home}">${picture} ${site}</a></header>`}
        <main>${main}</main>
      </body>
    </html>`;
}
