import { listed, observe } from '../rules/observe.js';
import { type DeploymentRule, header, perPage, rule } from './deployment-rule.js';
import { FORGED_HOST, parseObject } from './examine.js';

/** A line of a stack trace: `at run (/srv/app/main.js:1:2)`. */
const STACK = /^\s+at .+:\d+:\d+\)?\s*$/;

/** Rules about pages, cookies and endpoints of a deployment. */
export const RESPONSE_RULES: readonly DeploymentRule[] = [
  rule('page-frameable', 'high', 'RFC 9700 §4.16', {
    should: 'No other site can show the pages in a frame.',
    change: "Keep the headers of the pages, or send `Content-Security-Policy: frame-ancestors 'none'`.",
    code: 'add_header Content-Security-Policy "frame-ancestors \'none\'" always;',
    risk: 'A site places a page of this server under its own buttons, and the user consents without knowing.',
    judge: (facts) =>
      perPage(
        facts,
        (page) =>
          !/frame-ancestors/i.test(header(page, 'content-security-policy')) &&
          !/deny|sameorigin/i.test(header(page, 'x-frame-options')) &&
          'The page may be framed.',
      ),
  }),
  rule('page-without-csp', 'low', 'RFC 9700 §4.16', {
    should: 'Pages have a `Content-Security-Policy` that restricts scripts.',
    change: 'Keep the header of the pages.',
    risk: 'If a text of a client is ever shown as HTML, its script reads passwords.',
    judge: (facts) =>
      perPage(
        facts,
        (page) =>
          !/default-src|script-src/i.test(header(page, 'content-security-policy')) && 'The page may run any script.',
      ),
  }),
  rule('page-leaks-referrer', 'low', 'RFC 9700 §4.2.4', {
    should: 'Pages send no `Referer` with parameters to other sites.',
    change: 'Keep the header of the pages.',
    code: 'add_header Referrer-Policy "no-referrer" always;',
    risk: 'Linked sites see `state` and parameters of the authorization request.',
    judge: (facts) =>
      perPage(
        facts,
        (page) =>
          !/no-referrer|same-origin|strict-origin|\borigin\b/i.test(header(page, 'referrer-policy')) &&
          'The page has no `Referrer-Policy`.',
      ),
  }),
  rule('page-cacheable', 'low', 'RFC 9700 §4.2', {
    should: 'Pages are not cached.',
    change: 'Keep `Cache-Control: no-store` of the pages at the proxy.',
    risk: 'The next person at the browser goes back to a page with data of the user.',
    judge: (facts) =>
      perPage(facts, (page) => !/no-store/i.test(header(page, 'cache-control')) && 'The page may be cached.'),
  }),
  rule('cookie-flags', 'high', 'RFC 6265 §8', {
    should: 'Cookies have `HttpOnly`, `SameSite` and, with https, `Secure`.',
    change: 'Set `issuer` to the https URL, and let the proxy keep the flags.',
    risk: 'Scripts, other sites or a network attacker use the session of the user.',
    judge: ({ pages, url }) =>
      Object.entries(pages).flatMap(([name, { headers }]) => {
        const flags = ['HttpOnly', 'SameSite', ...(url.protocol === 'https:' ? ['Secure'] : [])];
        const weak = (headers['set-cookie'] ?? []).filter((cookie) =>
          flags.some((flag) => !new RegExp(`;\\s*${flag}`, 'i').test(cookie)),
        );
        // The value may be a session.
        const names = weak.map((cookie) => cookie.split('=', 1)[0]!);
        return observe(`page:${name}`, weak.length > 0 && `Cookies without a flag: ${listed(names)}.`);
      }),
  }),
  rule('cors-at-authorization', 'medium', 'RFC 9700 §2.6', {
    should: 'The authorization endpoint never allows other origins.',
    change: 'Remove CORS headers that a proxy or `app.enableCors()` adds to it.',
    risk: 'Pages read responses that are meant for the browser of the user only.',
    judge: ({ crossOriginPage }) =>
      observe(
        'page:authorize',
        crossOriginPage?.headers['access-control-allow-origin'] !== undefined && 'The endpoint allows other origins.',
      ),
  }),
  rule('cors-with-credentials', 'high', 'RFC 9700 §2.6', {
    should: 'Unknown origins may not send cookies.',
    change: 'Remove `credentials` from CORS settings of the application or the proxy.',
    risk: 'Any page acts in the session of the user.',
    judge: ({ preflight, crossOriginPage }) =>
      [preflight, crossOriginPage].some(
        (reply) =>
          reply?.headers['access-control-allow-credentials'] === 'true' &&
          String(reply.headers['access-control-allow-origin']).includes(FORGED_HOST),
      )
        ? observe('cors', 'An unknown origin is allowed with credentials.')
        : [],
  }),
  rule('token-response-cacheable', 'medium', 'RFC 6749 §5.1', {
    should: 'Responses of the token endpoint have `Cache-Control: no-store`.',
    change: 'Let the proxy keep the header.',
    risk: 'A cache stores tokens and gives them to others.',
    judge: ({ token }) =>
      observe('endpoint:token', token && !/no-store/i.test(header(token, 'cache-control')) && 'The header is missing.'),
  }),
  rule('server-error', 'medium', 'RFC 6749 §5.2', {
    should: 'Bad requests get an OAuth error, never a 5xx status.',
    change: 'Read the log of the application at this time.',
    risk: 'Everybody can produce errors, and clients repeat requests.',
    judge: ({ token, pages, jwks }) =>
      Object.entries({ token, jwks, ...pages }).flatMap(([name, reply]) =>
        observe(`endpoint:${name}`, reply && reply.status >= 500 && `The endpoint answers ${reply.status}.`),
      ),
  }),
  rule('stack-trace-shown', 'medium', 'RFC 6819 §5.1.5.3', {
    should: 'Errors show no paths of files.',
    change: 'Set `NODE_ENV=production`.',
    code: 'NODE_ENV=production node dist/main.js',
    risk: 'An attacker learns versions and paths.',
    judge: ({ token, pages, document }) =>
      [token, document, ...Object.values(pages)].some((one) =>
        (one?.body ?? '').split('\n').some((line) => STACK.test(line.slice(0, 300))),
      )
        ? observe('errors', 'A response contains a stack trace.')
        : [],
  }),
  rule('keys-published-wrongly', 'high', 'RFC 7517 §9.2', {
    should: 'The key set contains only public keys, and RSA keys of at least 2048 bits.',
    change: 'Replace the keys, because they must count as compromised.',
    code: 'npx nest-oauth2 keys rotate --now',
    risk: 'Everybody signs tokens of this server.',
    judge: ({ jwks }) => {
      const keys = [parseObject(jwks?.body ?? '')?.['keys'] ?? []].flat() as Record<string, unknown>[];
      const weak = keys.filter(
        (key) =>
          'd' in key || 'k' in key || (typeof key['n'] === 'string' && Buffer.from(key['n'], 'base64url').length < 256),
      );
      return observe(
        'endpoint:jwks',
        weak.length > 0 && `Private or short keys: ${listed(weak.map(({ kid }) => String(kid)))}.`,
      );
    },
  }),
  rule('clock-skew', 'medium', 'RFC 7519 §4.1.4', {
    should: 'The clock of the server is right to half a minute.',
    change: 'Synchronise the clocks of the server and of this computer.',
    code: 'timedatectl set-ntp true',
    risk: 'Tokens and proofs are rejected, or are valid for too long.',
    judge: ({ document }) => {
      const date = Date.parse(document ? header(document, 'date') : '');
      const seconds = Math.round(Math.abs((document?.at ?? 0) - date) / 1000);
      return observe('clock', seconds > 30 && `The clocks differ by ${seconds} seconds.`);
    },
  }),
  rule('server-named', 'info', 'RFC 9110 §10.2.4', {
    should: 'Headers do not name the software and its version.',
    change: 'Turn the header off.',
    code: "app.getHttpAdapter().getInstance().disable('x-powered-by');",
    risk: 'Attackers find servers with a known error faster.',
    judge: ({ document }) => {
      const found = document ? [header(document, 'x-powered-by'), header(document, 'server')] : [];
      const named = found.filter((one) => /\d/.test(one) || (one !== '' && one === found[0]));
      return observe('headers', named.length > 0 && `Headers contain ${listed(named.map((one) => one.slice(0, 60)))}.`);
    },
  }),
];
