import type { AttackRuns } from '../attack.js';
import { EVIL_ORIGIN } from '../browser.js';
import type { Lab } from '../lab.js';
import { judge, NotApplicable, type Outcome, resisted, succeeded } from '../outcome.js';

const SCRIPT = { 'x-requested-with': 'fetch' };

/** Attacks on guarded routes that accept the login session of a browser. RFC 9700 §4.7, Fetch Metadata §2.3 */
export const ACCEPTED_SESSION_ATTACKS: AttackRuns = {
  'session-cross-site': (lab) =>
    refusesSession(lab, 'a page of another site', [
      { 'sec-fetch-site': 'cross-site', origin: EVIL_ORIGIN, ...SCRIPT },
      { 'sec-fetch-site': 'same-site', origin: `https://evil.${new URL(lab.target.origin).host}`, ...SCRIPT },
      { 'sec-fetch-site': 'none', ...SCRIPT },
    ]),
  'session-cross-origin': (lab) =>
    refusesSession(lab, 'a page of another origin, in a browser without Fetch Metadata', [
      { origin: EVIL_ORIGIN, ...SCRIPT },
      { origin: 'null', ...SCRIPT },
      { origin: `${lab.target.origin}.evil.example`, ...SCRIPT },
      SCRIPT,
    ]),
  async 'session-form'(lab) {
    const { method = 'GET' } = lab.target.guarded!;
    if (/^(?:GET|HEAD)$/.test(method)) throw new NotApplicable('the guarded route only reads');
    return refusesSession(lab, 'a form without a script', [{ 'sec-fetch-site': 'same-origin' }]);
  },
  async 'session-websocket'(lab) {
    const cookie = (await lab.signedIn()).cookieHeader();
    const url = new URL(lab.options.gateway!, lab.target.origin).href;
    const open = async (origin: string) => lab.parts.wire.openSocket(url, { cookie, origin });
    if (!(await open(lab.target.origin))) throw new NotApplicable('the gateway accepts no login sessions');
    for (const origin of [EVIL_ORIGIN, 'null', `${lab.target.origin}.evil.example`])
      if (await open(origin)) return succeeded(`a page of ${origin} opened a WebSocket with the session of the user`);
    return resisted('the connections of three other origins were closed');
  },
};

/** Calls the guarded route with the cookies of the user, as each of these pages does. */
async function refusesSession(lab: Lab, page: string, senders: readonly Record<string, string>[]): Promise<Outcome> {
  const cookie = (await lab.signedIn()).cookieHeader();
  const call = (headers: Record<string, string>) =>
    lab.callRoute(undefined, { dpop: null, headers: { cookie, ...headers } });
  const own = await call({ 'sec-fetch-site': 'same-origin', ...SCRIPT });
  if (!own.isAccepted) throw new NotApplicable('the guarded route accepts no login sessions');
  return lab.judgeAll(senders, async (headers) =>
    judge(await call(headers), `the guarded route accepted the session from ${page}`),
  );
}
