import type { Response } from 'express';
import { html, page, sendPage } from 'nest-oauth2/pages';
import { AuthorizationResponseError } from 'openid-client';
import { look } from './look.js';

/** Shows why a request failed. Of an error response, such as `access_denied`, the page shows the description. */
export function showProblem(response: Response, error: unknown): void {
  const problem =
    error instanceof AuthorizationResponseError ? (error.error_description ?? error.error) : (error as Error).message;
  const main = html`<p class="notice bad" role="alert">${problem}</p>
    <p><a href="/">Back</a></p>`;
  sendPage(response, page({ title: 'That did not work', main, status: 400 }, look));
}
