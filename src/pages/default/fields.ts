import type { Fields } from '../contexts.js';
import { type Html, html } from '../html.js';

/** What a form sends along and nobody sees. */
export const hidden = (fields: Fields): Html =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;
