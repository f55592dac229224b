import type { Fields, OwnPageContext, PageContext } from '../render/contexts.js';
import { type Html, html } from '../render/html.js';

/** The attribute of the input that gets the focus. */
export const FOCUSED = html`autofocus`;

/** The attributes of an invalid input. They refer to the message with the id `problem`. */
export const INVALID = html`aria-invalid="true" aria-describedby="problem"`;

/** Renders the hidden fields of a form. */
export const hidden = (fields: Fields): Html =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;

/** Renders the error message above a form. */
export const problemNotice = (message: PageContext['message'], problem: Problem | undefined): Html | undefined =>
  problem && html`<p class="notice bad" role="alert" id="problem">${message(problem)}</p>`;

/** Renders the message of a problem above the form of a page of `definePage()`. */
export const problemOf = <Key extends string>({
  message,
  problem,
}: Pick<OwnPageContext<Key>, 'message' | 'problem'>): Html | undefined =>
  problem && html`<p class="notice bad" role="alert" id="problem">${message(problem)}</p>`;

type Problem = Parameters<PageContext['message']>[0];
