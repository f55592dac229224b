import { listed } from '../rules/observe.js';
import { type DeploymentRule, header, perPage } from './deployment-rule.js';
import { FORGED_HOST, parseObject } from './examine.js';
import { observe, rulesOf } from '../rule.js';

/** A line of a stack trace: `at run (/srv/app/main.js:1:2)`. */
const STACK = /^\s+at .+:\d+:\d+\)?\s*$/;

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
page-frameable | high | | RFC 9700 §4.16 | No other site can show the pages in a frame. | Keep the headers of the pages, or send \`Content-Security-Policy: frame-ancestors 'none'\`. | add_header Content-Security-Policy "frame-ancestors 'none'" always; | A site places a page of this server under its own buttons, and the user consents without knowing.
page-without-csp | low | | RFC 9700 §4.16 | Pages have a \`Content-Security-Policy\` that restricts scripts. | Keep the header of the pages. | | If a text of a client is ever shown as HTML, its script reads passwords.
page-leaks-referrer | low | | RFC 9700 §4.2.4 | Pages send no \`Referer\` with parameters to other sites. | Keep the header of the pages. | add_header Referrer-Policy "no-referrer" always; | Linked sites see \`state\` and parameters of the authorization request.
page-cacheable | low | | RFC 9700 §4.2 | Pages are not cached. | Keep \`Cache-Control: no-store\` of the pages at the proxy. | | The next person at the browser goes back to a page with data of the user.
cookie-flags | high | | RFC 6265 §8 | Cookies have \`HttpOnly\`, \`SameSite\` and, with https, \`Secure\`. | Set \`issuer\` to the https URL, and let the proxy keep the flags. | | Scripts, other sites or a network attacker use the session of the user.
cors-at-authorization | medium | page:authorize | RFC 9700 §2.6 | The authorization endpoint never allows other origins. | Remove CORS headers that a proxy or \`app.enableCors()\` adds to it. | | Pages read responses that are meant for the browser of the user only.
cors-with-credentials | high | cors | RFC 9700 §2.6 | Unknown origins may not send cookies. | Remove \`credentials\` from CORS settings of the application or the proxy. | | Any page acts in the session of the user.
token-response-cacheable | medium | endpoint:token | RFC 6749 §5.1 | Responses of the token endpoint have \`Cache-Control: no-store\`. | Let the proxy keep the header. | | A cache stores tokens and gives them to others.
server-error | medium | | RFC 6749 §5.2 | Bad requests get an OAuth error, never a 5xx status. | Read the log of the application at this time. | | An attacker can cause server errors, and clients repeat requests.
stack-trace-shown | medium | errors | RFC 6819 §5.1.5.3 | Errors show no paths of files. | Set \`NODE_ENV=production\`. | NODE_ENV=production node dist/main.js | An attacker learns versions and paths.
keys-published-wrongly | high | endpoint:jwks | RFC 7517 §9.2 | The key set contains only public keys, and RSA keys of at least 2048 bits. | Replace the keys, because they must count as compromised. | npx nest-oauth2 keys rotate --now | An attacker signs tokens of this server.
clock-skew | medium | clock | RFC 7519 §4.1.4 | The clock of the server is right to half a minute. | Synchronise the clocks of the server and of this computer. | timedatectl set-ntp true | Tokens and proofs are rejected, or are valid for too long.
server-named | info | headers | RFC 9110 §10.2.4 | Headers do not name the software and its version. | Turn the header off. | app.getHttpAdapter().getInstance().disable('x-powered-by'); | Attackers find servers with a known error faster.
`;

/** Rules about pages, cookies and endpoints of a deployment. */
export const RESPONSE_RULES: readonly DeploymentRule[] = rulesOf(TEXTS, {
  'page-frameable': perPage(
    (page) =>
      !/frame-ancestors/i.test(header(page, 'content-security-policy')) &&
      !/deny|sameorigin/i.test(header(page, 'x-frame-options')) &&
      'The page may be framed.',
  ),
  'page-without-csp': perPage(
    (page) =>
      !/default-src|script-src/i.test(header(page, 'content-security-policy')) && 'The page may run any script.',
  ),
  'page-leaks-referrer': perPage(
    (page) =>
      !/no-referrer|same-origin|strict-origin|\borigin\b/i.test(header(page, 'referrer-policy')) &&
      'The page has no `Referrer-Policy`.',
  ),
  'page-cacheable': perPage((page) => !/no-store/i.test(header(page, 'cache-control')) && 'The page may be cached.'),
  'cookie-flags': ({ pages, url }) =>
    Object.entries(pages).flatMap(([name, { headers }]) => {
      const flags = ['HttpOnly', 'SameSite', ...(url.protocol === 'https:' ? ['Secure'] : [])];
      const weak = (headers['set-cookie'] ?? []).filter((cookie) =>
        flags.some((flag) => !new RegExp(`;\\s*${flag}`, 'i').test(cookie)),
      );
      // The value may be a session.
      const names = weak.map((cookie) => cookie.split('=', 1)[0]!);
      return observe(`page:${name}`, weak.length > 0 && `Cookies without a flag: ${listed(names)}.`);
    }),
  'cors-at-authorization': ({ crossOriginPage }) =>
    crossOriginPage?.headers['access-control-allow-origin'] !== undefined && 'The endpoint allows other origins.',
  'cors-with-credentials': ({ preflight, crossOriginPage }) =>
    [preflight, crossOriginPage].some(
      (reply) =>
        reply?.headers['access-control-allow-credentials'] === 'true' &&
        String(reply.headers['access-control-allow-origin']).includes(FORGED_HOST),
    ) && 'An unknown origin is allowed with credentials.',
  'token-response-cacheable': ({ token }) =>
    token && !/no-store/i.test(header(token, 'cache-control')) && 'The header is missing.',
  'server-error': ({ token, pages, jwks }) =>
    Object.entries({ token, jwks, ...pages }).flatMap(([name, reply]) =>
      observe(`endpoint:${name}`, reply && reply.status >= 500 && `The endpoint answers ${reply.status}.`),
    ),
  'stack-trace-shown': ({ token, pages, document }) =>
    [token, document, ...Object.values(pages)].some((one) =>
      (one?.body ?? '').split('\n').some((line) => STACK.test(line.slice(0, 300))),
    ) && 'A response contains a stack trace.',
  'keys-published-wrongly': ({ jwks }) => {
    const keys = [parseObject(jwks?.body ?? '')?.['keys'] ?? []].flat() as Record<string, unknown>[];
    const weak = keys.filter(
      (key) =>
        'd' in key || 'k' in key || (typeof key['n'] === 'string' && Buffer.from(key['n'], 'base64url').length < 256),
    );
    return weak.length > 0 && `Private or short keys: ${listed(weak.map(({ kid }) => String(kid)))}.`;
  },
  'clock-skew': ({ document }) => {
    const date = Date.parse(document ? header(document, 'date') : '');
    const seconds = Math.round(Math.abs((document?.at ?? 0) - date) / 1000);
    return seconds > 30 && `The clocks differ by ${seconds} seconds.`;
  },
  'server-named': ({ document }) => {
    const found = document ? [header(document, 'x-powered-by'), header(document, 'server')] : [];
    const named = found.filter((one) => /\d/.test(one) || (one !== '' && one === found[0]));
    return named.length > 0 && `Headers contain ${listed(named.map((one) => one.slice(0, 60)))}.`;
  },
});
