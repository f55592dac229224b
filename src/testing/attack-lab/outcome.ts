import { Inconclusive } from './stop.js';
import type { LabResponse } from './wire.js';

/** The result of one attack. */
export type Outcome =
  | { verdict: 'resisted'; evidence: string }
  | { verdict: 'not applicable'; reason: string }
  | { verdict: 'inconclusive'; reason: string }
  | { verdict: 'succeeded'; how: string; response?: LabResponse };

export { ApplicationStopped, Inconclusive, NotApplicable } from './stop.js';

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

/**
 * Judges the response to an attack. By default, a status below 400 means that the attack succeeded.
 * @param how what the application did, if the attack succeeded
 * @throws {Inconclusive} If the application failed with a server error.
 */
export function judge(response: LabResponse, how: string, isSuccess = response.status < 400): Outcome {
  if (isSuccess) return succeeded(how, response);
  if (response.status >= 500 && response.status !== 503) {
    throw new Inconclusive(`the application failed: ${describeResponse(response)}`);
  }
  return resisted(describeResponse(response));
}

/** Returns the first outcome that is not `resisted`. If all are, returns their evidence. */
export async function allOf(outcomes: Iterable<() => Promise<Outcome>>): Promise<Outcome> {
  const evidence = new Set<string>();
  for (const run of outcomes) {
    const outcome = await run();
    if (outcome.verdict !== 'resisted') return outcome;
    evidence.add(outcome.evidence);
  }
  return resisted([...evidence].join('; '));
}
