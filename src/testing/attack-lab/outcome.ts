import { Inconclusive } from './stop.js';
import type { LabResponse } from './wire.js';

/** A response to an attack, and whether the application accepted the request. Default: with a status below 400. */
export type JudgedResponse = LabResponse & { readonly isAccepted?: boolean };

/** The result of one attack. */
export type Outcome =
  | { verdict: 'resisted'; evidence: string }
  | { verdict: 'not applicable' | 'inconclusive'; reason: string }
  | { verdict: 'succeeded'; how: string; response?: LabResponse };

export { ApplicationStopped, Inconclusive, NotApplicable, ScopesRequired } from './stop.js';

export const resisted = (evidence: string): Outcome => ({ verdict: 'resisted', evidence });

export const succeeded = (how: string, response?: LabResponse): Outcome => ({
  verdict: 'succeeded',
  how,
  ...(response && { response }),
});

/** Describes a response as evidence: `POST /oauth/token: 400 invalid_grant`. */
export function describeResponse({ sent, status, json, headers }: LabResponse): string {
  const location = headers.location?.split(/[?#]/)[0];
  const challenge = /\berror="([^"]*)"/.exec(String(headers['www-authenticate'] ?? ''))?.[1];
  const error = typeof json['error'] === 'string' ? json['error'] : (errorOf(headers.location) ?? challenge);
  const parts = [status, error, location && `to ${location}`].filter(Boolean).join(' ');
  return `${sent.method} ${sent.url.replace(/^https?:\/\/[^/]*/, '').split('?')[0]}: ${parts}`;
}

const errorOf = (location: string | undefined) => /[?#&]error=(\w+)/.exec(location ?? '')?.[1];

/** Returns the code with which a response redirects the browser to a client. */
export const codeOf = ({ headers }: LabResponse): string | undefined =>
  new URLSearchParams((headers.location ?? '').split(/[?#]/).slice(1).join('&')).get('code') ?? undefined;

/**
 * Judges the response to an attack. By default, the attack succeeded if the application accepted the request.
 * @param how what the application did, if the attack succeeded
 * @throws {Inconclusive} If the application failed with a server error.
 */
export function judge(
  response: JudgedResponse,
  how: string,
  isSuccess = response.isAccepted ?? response.status < 400,
): Outcome {
  if (isSuccess) return succeeded(how, response);
  if (response.status >= 500 && response.status !== 503) {
    throw new Inconclusive(`the application failed: ${describeResponse(response)}`);
  }
  return resisted(describeResponse(response));
}
