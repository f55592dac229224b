import type { Fields, PageContext } from '../contexts.js';
import { type Html, html } from '../html.js';

/** Of the field that the cursor goes to. */
export const FOCUSED = html`autofocus`;

/** Of the field that was wrong: what it says stands in `#problem`. */
export const INVALID = html`aria-invalid="true" aria-describedby="problem"`;

/** What a form sends along and nobody sees. */
export const hidden = (fields: Fields): Html =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;

/** What went wrong with the form above it. */
export const problemNotice = (say: PageContext['say'], problem: Problem | undefined): Html | undefined =>
  problem && html`<p class="notice bad" role="alert" id="problem">${say(problem)}</p>`;

type Problem = Parameters<PageContext['say']>[0];
