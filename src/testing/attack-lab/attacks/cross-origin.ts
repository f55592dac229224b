import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import type { Lab } from '../lab.js';
import { type Outcome, resisted, succeeded } from '../outcome.js';

const CLIENT_ENDPOINTS = [
  'token',
  'revocation',
  'introspection',
  'pushed_authorization_request',
  'device_authorization',
  'registration',
];
const PAGES = ['authorize', 'login', 'logout', 'applications', 'device'];

/** Reads by pages of other origins. Fetch §3.2, RFC 9700 §2.6 */
export const CROSS_ORIGIN_ATTACKS: AttackRuns = {
  'cors-token': (lab) => refusesOrigins(lab, lab.urlsOf(CLIENT_ENDPOINTS)),
  'cors-pages': (lab) => refusesOrigins(lab, lab.urlsOf(PAGES), true),
  'cors-guarded-route': (lab) => refusesOrigins(lab, [lab.target.guardedUrl!]),
};

/** A page of another origin must not read responses to requests with cookies. A page must not be readable at all. */
async function refusesOrigins(lab: Lab, urls: readonly string[], isPage = false): Promise<Outcome> {
  for (const url of urls) {
    for (const origin of [EVIL_ORIGIN, 'null', `${lab.target.origin}.evil.example`]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const headers = {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        };
        const response = await lab.send(url, { method, headers });
        const allowed = response.headers['access-control-allow-origin'];
        const withCredentials = response.headers['access-control-allow-credentials'] === 'true';
        const isReadable = allowed === origin || allowed === '*';
        if (isReadable && (withCredentials || isPage)) {
          return succeeded(
            `${new URL(url).pathname} lets ${origin} read responses${withCredentials ? ' with cookies' : ''}`,
            response,
          );
        }
      }
    }
  }
  return resisted(`${urls.length} endpoints let no other origin read responses to requests with cookies`);
}
