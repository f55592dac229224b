import type { Response } from 'express';
import { html, page, sendPage } from 'nest-oauth2/pages';
import { AuthorizationResponseError } from 'openid-client';
import { branding } from './branding.js';

/** Shows why a request failed. For an error response, such as `access_denied`, the page shows `error_description`. */
export function showError(response: Response, error: unknown): void {
  const message =
    error instanceof AuthorizationResponseError ? (error.error_description ?? error.error) : (error as Error).message;
  const main = html`<p class="notice bad" role="alert">${message}</p>
    <p><a href="/">Back</a></p>`;
  sendPage(response, page({ title: 'Something went wrong', main, status: 400 }, branding));
}
