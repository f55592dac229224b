import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import type { Lab } from '../lab.js';
import { type Outcome, resisted, succeeded } from '../outcome.js';

/** Reads by pages of other origins. Fetch §3.2, RFC 9700 §2.6 */
export const CROSS_ORIGIN_ATTACKS: AttackRuns = {
  'cors-token': (lab) =>
    refusesOrigins(lab, [
      'token',
      'revocation',
      'introspection',
      'pushed_authorization_request',
      'device_authorization',
      'registration',
    ]),
  'cors-pages': (lab) => refusesOrigins(lab, ['authorize', 'login', 'logout', 'applications', 'device'], true),
  async 'cors-guarded-route'(lab) {
    const { path } = lab.target.guarded!;
    return check(lab, [new URL(path, lab.target.origin).href], false);
  },
};

const refusesOrigins = (lab: Lab, ids: readonly string[], isPage = false): Promise<Outcome> =>
  check(
    lab,
    ids.flatMap((id) => lab.target.urlOf(id) ?? []),
    isPage,
  );

/** A page of another origin must not read responses to requests with cookies. A page must not be readable at all. */
async function check(lab: Lab, urls: readonly string[], isPage: boolean): Promise<Outcome> {
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
