import { type AttackRuns, attacksOf } from '../attack.js';
import { EVIL_HOST, EVIL_ORIGIN } from '../browser.js';
import type { Lab } from '../lab.js';
import { describeResponse, Inconclusive, type Outcome, resisted, succeeded } from '../outcome.js';

/** The redirect URIs that the attacker sends for a client with one registered URI. RFC 9700 §4.1 */
const VARIANTS: Readonly<Record<string, (uri: URL) => string>> = {
  'other-host': () => `${EVIL_ORIGIN}/callback`,
  subdomain: (uri) => uri.href.replace('://', '://evil.'),
  'domain-suffix': ({ host, pathname }) => `https://${host}.evil.example${pathname}`,
  'domain-prefix': ({ host, pathname }) => `https://evil-${host}${pathname}`,
  userinfo: ({ host, pathname }) => `https://${host}@${EVIL_HOST}${pathname}`,
  backslash: ({ host, pathname }) => String.raw`${EVIL_ORIGIN}\@${host}${pathname}`,
  'path-suffix': ({ href }) => `${href}/evil`,
  'path-traversal': ({ href }) => `${href}/../../evil`,
  'encoded-traversal': ({ href }) => `${href}%2F..%2F..%2Fevil`,
  'path-case': ({ origin, pathname }) => origin + pathname.toUpperCase(),
  port: ({ hostname, pathname }) => `https://${hostname}:8443${pathname}`,
  scheme: ({ href }) => href.replace('https:', 'http:'),
  query: ({ href }) => `${href}?next=${encodeURIComponent(EVIL_ORIGIN)}`,
  fragment: ({ href }) => `${href}#evil`,
  script: ({ host }) => `javascript://${host}/%0aalert(1)`,
  whitespace: ({ href }) => `${href}\n`,
};

const LOOPBACK_LIKE = ['127.0.0.1.evil.example', '127.0.0.1@evil.example', 'evil.example', '127.0.0.1:80@evil.example'];

/** Attacks on the comparison of redirect URIs. RFC 9700 §4.1 */
export const REDIRECT_URI_ATTACKS: AttackRuns = {
  ...attacksOf('redirect-uri', VARIANTS, refusesVariant),
  async 'redirect-uri-repeated'(lab) {
    const query = new URLSearchParams(lab.parametersOf(await lab.client('web')).parameters);
    query.append('redirect_uri', `${EVIL_ORIGIN}/callback`);
    const { left, page } = await lab.visit(lab.at('authorize', query));
    return left?.searchParams.has('code') || left?.origin === EVIL_ORIGIN
      ? succeeded(`a request with two redirect URIs was answered at ${left.origin}`, page)
      : resisted(describeResponse(page));
  },
  async 'redirect-uri-native'(lab) {
    const client = await lab.newClient({ isPublic: true, redirectUris: ['http://127.0.0.1/callback'] });
    for (const host of LOOPBACK_LIKE) {
      const { left, page } = await lab.authorize(client, { redirect_uri: `http://${host}/callback` });
      if (left) return succeeded(`the browser was sent to ${left.host}`, page);
    }
    return resisted('no redirect to another host than 127.0.0.1');
  },
};

/** The user opens a request with a changed redirect URI. Even an error must not be sent there. */
async function refusesVariant(lab: Lab, change: (uri: URL) => string): Promise<Outcome> {
  const web = await lab.client('web');
  const { page, code } = await lab.authorize(web, { redirect_uri: change(new URL(web.redirectUri)) });
  const { location } = page.headers;
  // Apart from a page of this application, only the registered URI may follow.
  const isOwn = location === undefined || new URL(location, lab.target.origin).origin === lab.target.origin;
  const isRegistered = location?.startsWith(`${web.redirectUri}?`) === true;
  if (code !== undefined || !(isOwn || isRegistered)) {
    return succeeded(`the browser was sent to ${location?.split(/[?#]/)[0]}${code ? ' with a code' : ''}`, page);
  }
  if (page.status >= 500) throw new Inconclusive(`the application failed: ${describeResponse(page)}`);
  return resisted(describeResponse(page));
}
