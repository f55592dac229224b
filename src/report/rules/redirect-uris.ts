import { isLoopbackName } from '../../../lib/adapter/index.js';
import { type ReportRule, rule } from '../rule.js';
import { listed, observe, perClient, perRedirectUri, shownUri, urlOf } from './observe.js';

const CODE = "await clients.change('web', { redirectUris: ['https://app.example.com/callback'] });";

const isLoopback = (uri: string) => isLoopbackName(urlOf(uri)?.hostname ?? '');
const isHttp = (uri: string) => /^https?:/i.test(uri);
/** Schemes that browsers run or read themselves. */
const SCRIPT = /^(?:javascript|data|vbscript|file|blob|about):/i;
/** Query parameters in which pages usually receive the URL to redirect to. */
const REDIRECTING = /[?&](?:next|url|uri|redirect\w*|return\w*|continue|target|dest\w*|goto)=/i;
/** Hosts whose subdomains anybody can register. */
const SHARED_HOSTS =
  /\.(?:github\.io|gitlab\.io|vercel\.app|netlify\.app|pages\.dev|workers\.dev|herokuapp\.com|web\.app|firebaseapp\.com|azurewebsites\.net|onrender\.com|fly\.dev|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|s3\.amazonaws\.com)$/i;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/;

/** Rules about the redirect URIs of registered clients. */
export const REDIRECT_URI_RULES: readonly ReportRule[] = [
  rule('redirect-wildcard', 'high', 'RFC 9700 §2.1', {
    should: 'Redirect URIs are complete, and are compared as a whole.',
    change: 'List each redirect URI. The page at this URI can forward the user.',
    code: CODE,
    risk: 'If the model expands the wildcard, an attacker receives codes at any matching page, such as an open redirector.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => uri.includes('*'),
        (uris) => `The client has the redirect URIs ${uris}.`,
      ),
  }),
  rule('redirect-script-scheme', 'high', 'RFC 6749 §3.1.2', {
    should: 'Redirect URIs have no scheme that a browser runs or reads itself.',
    change: 'Use an https URL, or for a native application its own scheme.',
    code: CODE,
    risk: 'The redirect runs a script in the browser of the user, with the code.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => SCRIPT.test(uri),
        (uris) => `The client redirects to ${uris}.`,
      ),
  }),
  rule('redirect-fragment', 'high', 'RFC 6749 §3.1.2', {
    should: 'Redirect URIs are absolute URIs without a fragment.',
    change: 'Remove the fragment. Keep the view in `state` or in the session of the client.',
    code: CODE,
    risk: 'The response is appended to a fragment that the page may interpret, or no request can match.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => uri.includes('#') || (!uri.includes('*') && urlOf(uri) === undefined),
        (uris) => `No absolute URI without a fragment: ${uris}.`,
      ),
  }),
  rule('redirect-http', 'high', 'RFC 9700 §2.6', {
    should: 'Redirect URIs use https. Only loopback addresses of native clients may use http.',
    change: 'Serve the callback by https.',
    code: CODE,
    risk: 'A network attacker reads the authorization code from the redirect.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => /^http:/i.test(uri) && !isLoopback(uri),
        (uris) => `The redirect is not encrypted: ${uris}.`,
      ),
  }),
  rule('redirect-loopback-of-web-client', 'low', 'RFC 8252 §7.3', {
    should: 'Clients in production have no redirect URIs at the computer of the user, unless they are native.',
    change: 'Register a client of its own for development, or set `applicationType: native`.',
    code: "await clients.create({ id: 'web-dev', grants: ['authorization_code'], redirectUris: ['http://127.0.0.1/callback'] });",
    risk: 'A program on the computer of the user receives codes that are meant for the web application.',
    isFineInDevelopment: true,
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri, { isNative, isSelfRegistered }) => !isNative && !isSelfRegistered && isHttp(uri) && isLoopback(uri),
        (uris) => `The web client has redirect URIs at the computer of the user: ${uris}.`,
      ),
  }),
  rule('redirect-localhost-name', 'low', 'RFC 8252 §8.3', {
    should: 'Native clients use a loopback address, not the name `localhost`.',
    change: 'Replace `localhost` by `127.0.0.1` or `[::1]`.',
    code: "await clients.change('cli', { redirectUris: ['http://127.0.0.1/callback'] });",
    risk: 'A hosts file or a name server can point `localhost` to another computer.',
    isFineInDevelopment: true,
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri, { isSelfRegistered }) => !isSelfRegistered && urlOf(uri)?.hostname === 'localhost',
        (uris) => `The redirect URIs use the name \`localhost\`: ${uris}.`,
      ),
  }),
  rule('redirect-short-scheme', 'medium', 'RFC 8252 §7.1', {
    should: 'Custom schemes are reverse domain names, such as `com.example.app`.',
    change: 'Use a scheme that begins with your domain, or better an https link that the operating system claims.',
    code: "await clients.change('app', { redirectUris: ['com.example.app:/callback'] });",
    risk: 'Another application registers the same scheme and receives the codes. PKCE then prevents their use.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => !isHttp(uri) && !SCRIPT.test(uri) && /^[a-z][a-z\d+-]*:/i.test(uri),
        (uris) => `The scheme does not belong to a domain: ${uris}.`,
      ),
  }),
  rule('redirect-open-redirector', 'medium', 'RFC 9700 §4.11.1', {
    should: 'No redirect URI is a page that redirects to a URL in its query.',
    change: 'Register the page that handles the code, without such a parameter.',
    code: CODE,
    risk: 'The page may forward the user, and with it the code, to a site of an attacker.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => REDIRECTING.test(uri),
        (uris) => `The query names a further target: ${uris}.`,
      ),
  }),
  rule('redirect-shared-host', 'low', 'RFC 9700 §4.1', {
    should: 'Redirect URIs are at a domain that belongs to the client.',
    change: 'Use your own domain, and remove the URIs of previews that do not exist any more.',
    code: CODE,
    risk: 'Whoever registers the abandoned name of a preview receives the codes.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri, { isSelfRegistered }) => !isSelfRegistered && SHARED_HOSTS.test(urlOf(uri)?.hostname ?? ''),
        (uris) => `Anybody can register a name at the host of ${uris}.`,
      ),
  }),
  rule('redirect-ip-address', 'low', 'RFC 9700 §4.1', {
    should: 'Redirect URIs name a host, not an IP address.',
    change: 'Use a host name with a certificate.',
    code: CODE,
    risk: 'The address is given to another customer of the network later, who then receives the codes.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => isHttp(uri) && !isLoopback(uri) && IP_ADDRESS.test(urlOf(uri)?.hostname ?? ''),
        (uris) => `The redirect URIs are at an IP address: ${uris}.`,
      ),
  }),
  rule('redirect-credentials', 'medium', 'RFC 3986 §3.2.1', {
    should: 'Redirect URIs contain no user name and no password.',
    change: 'Remove the part before `@`.',
    code: CODE,
    risk: 'Users take the name before `@` for the host. The credentials are in logs and histories.',
    judge: (facts) =>
      perRedirectUri(
        facts,
        (uri) => Boolean(urlOf(uri)?.username || urlOf(uri)?.password),
        (uris) => `The redirect URIs contain credentials: ${uris}.`,
      ),
  }),
  rule('redirect-missing', 'low', 'RFC 6749 §3.1.2.2', {
    should: 'Clients with the grant `authorization_code` have a redirect URI.',
    change: 'Register the redirect URI, or remove the grant.',
    code: CODE,
    risk: 'Authorization requests of the client fail. A model of your own may accept any redirect URI.',
    judge: (facts) =>
      perClient(
        facts,
        ({ grants, redirectUris }) =>
          grants.includes('authorization_code') && redirectUris.length === 0 && 'The client has no redirect URI.',
      ),
  }),
  rule('redirect-shared-by-clients', 'low', 'RFC 9700 §4.4', {
    should: 'Each client has redirect URIs of its own.',
    change: 'Give each client its own path, such as `/callback/web`.',
    code: CODE,
    risk: 'The page cannot tell which client a code belongs to, and a consent to one client helps the other.',
    judge(facts) {
      const owners = new Map<string, string[]>();
      for (const { id, redirectUris, isSelfRegistered } of facts.clients) {
        if (isSelfRegistered) continue;
        for (const uri of new Set(redirectUris)) {
          if (!isLoopback(uri)) owners.set(uri, [...(owners.get(uri) ?? []).slice(0, 10), id]);
        }
      }
      return [...owners].flatMap(([uri, [first, ...others]]) =>
        observe(
          `client:${first}`,
          others.length > 0 &&
            `The clients ${listed([first!, ...others])} share the redirect URI \`${shownUri(uri)}\`.`,
        ),
      );
    },
  }),
];
