import { isLoopbackName } from '../../../lib/internal.js';
import { observe, type ReportRule, rulesOf } from '../rule.js';
import { listed, perClient, perRedirectUri, shownUri, urlOf } from './observe.js';

const isLoopback = (uri: string) => isLoopbackName(urlOf(uri)?.hostname ?? '');
const isHttp = (uri: string) => /^https?:/i.test(uri);
/** Schemes that browsers run or read themselves. */
const SCRIPT = /^(?:javascript|data|vbscript|file|blob|about):/i;
/** Query parameters in which pages usually receive the URL to redirect to. */
const REDIRECTING = /[?&](?:next|url|uri|redirect\w*|return\w*|continue|target|dest\w*|goto)=/i;
/** Hosts whose subdomains are free for registration. */
const SHARED_HOSTS =
  /\.(?:github\.io|gitlab\.io|vercel\.app|netlify\.app|pages\.dev|workers\.dev|herokuapp\.com|web\.app|firebaseapp\.com|azurewebsites\.net|onrender\.com|fly\.dev|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|s3\.amazonaws\.com)$/i;
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[.*\])$/;

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
redirect-wildcard | high | | RFC 9700 §2.1 | Redirect URIs are complete, and are compared as a whole. | List each redirect URI. The page at this URI can forward the user. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | If the model expands the wildcard, an attacker receives codes at any matching page, such as an open redirector.
redirect-script-scheme | high | | RFC 6749 §3.1.2 | Redirect URIs have no scheme that a browser runs or reads itself. | Use an https URL, or for a native application its own scheme. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | The redirect runs a script in the browser of the user, with the code.
redirect-fragment | high | | RFC 6749 §3.1.2 | Redirect URIs are absolute URIs without a fragment. | Remove the fragment. Keep the view in \`state\` or in the session of the client. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | The response is appended to a fragment that the page may interpret, or no request can match.
redirect-http | high | | RFC 9700 §2.6 | Redirect URIs use https. Only loopback addresses of native clients may use http. | Serve the callback by https. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | A network attacker reads the authorization code from the redirect.
redirect-loopback-of-web-client | low* | | RFC 8252 §7.3 | Clients in production have no redirect URIs at the computer of the user, unless they are native. | Replace the URI by that of production. For development, use a client in another database. For a native app, set \`applicationType\` to \`'native'\`. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | A program on the computer of the user receives codes that are meant for the web application.
redirect-localhost-name | low* | | RFC 8252 §8.3 | Native clients use a loopback address, not the name \`localhost\`. | Replace \`localhost\` by \`127.0.0.1\` or \`[::1]\`. | npx nest-oauth2 clients change cli --redirect-uri http://127.0.0.1/callback | A hosts file or a name server can point \`localhost\` to another computer.
redirect-short-scheme | medium | | RFC 8252 §7.1 | Custom schemes are reverse domain names, such as \`com.example.app\`. | Use a scheme that begins with your domain, or better an https link that the operating system claims. | npx nest-oauth2 clients change app --redirect-uri com.example.app:/callback | Another application registers the same scheme and receives the codes. PKCE then prevents their use.
redirect-open-redirector | medium | | RFC 9700 §4.11.1 | No redirect URI is a page that redirects to a URL in its query. | Register the page that handles the code, without such a parameter. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | The page may forward the user, and with it the code, to a site of an attacker.
redirect-shared-host | low | | RFC 9700 §4.1 | Redirect URIs are at a domain that belongs to the client. | Use your own domain, and remove the URIs of previews that do not exist any more. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | An attacker who registers the abandoned name of a preview receives the codes.
redirect-ip-address | low | | RFC 9700 §4.1 | Redirect URIs name a host, not an IP address. | Use a host name with a certificate. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | The address is given to another customer of the network later, who then receives the codes.
redirect-credentials | medium | | RFC 3986 §3.2.1 | Redirect URIs contain no user name and no password. | Remove the part before \`@\`. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | Users take the name before \`@\` for the host. The credentials are in logs and histories.
redirect-missing | low | | RFC 6749 §3.1.2.2 | Clients with the grant \`authorization_code\` have a redirect URI. | Register the redirect URI, or remove the grant. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | Authorization requests of the client fail. A model of your own may accept any redirect URI.
redirect-shared-by-clients | low | | RFC 9700 §4.4 | Each client has redirect URIs of its own. | Give each client its own path, such as \`/callback/web\`. | npx nest-oauth2 clients change web --redirect-uri https://app.example.com/callback | The page cannot tell which client a code belongs to, and a consent to one client helps the other.
`;

/** Rules about the redirect URIs of registered clients. */
export const REDIRECT_URI_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'redirect-wildcard': perRedirectUri(
    (uri) => uri.includes('*'),
    (uris) => `The client has the redirect URIs ${uris}.`,
  ),
  'redirect-script-scheme': perRedirectUri(
    (uri) => SCRIPT.test(uri),
    (uris) => `The client redirects to ${uris}.`,
  ),
  'redirect-fragment': perRedirectUri(
    (uri) => uri.includes('#') || (!uri.includes('*') && urlOf(uri) === undefined),
    (uris) => `No absolute URI without a fragment: ${uris}.`,
  ),
  'redirect-http': perRedirectUri(
    (uri) => /^http:/i.test(uri) && !isLoopback(uri),
    (uris) => `The redirect is not encrypted: ${uris}.`,
  ),
  'redirect-loopback-of-web-client': perRedirectUri(
    (uri, { isNative, isSelfRegistered }) => !isNative && !isSelfRegistered && isHttp(uri) && isLoopback(uri),
    (uris) => `The web client has redirect URIs at the computer of the user: ${uris}.`,
  ),
  'redirect-localhost-name': perRedirectUri(
    (uri, { isSelfRegistered }) => !isSelfRegistered && urlOf(uri)?.hostname === 'localhost',
    (uris) => `The redirect URIs use the name \`localhost\`: ${uris}.`,
  ),
  'redirect-short-scheme': perRedirectUri(
    (uri) => !isHttp(uri) && !SCRIPT.test(uri) && /^[a-z][a-z\d+-]*:/i.test(uri),
    (uris) => `The scheme does not belong to a domain: ${uris}.`,
  ),
  'redirect-open-redirector': perRedirectUri(
    (uri) => REDIRECTING.test(uri),
    (uris) => `The query names a further target: ${uris}.`,
  ),
  'redirect-shared-host': perRedirectUri(
    (uri, { isSelfRegistered }) => !isSelfRegistered && SHARED_HOSTS.test(urlOf(uri)?.hostname ?? ''),
    (uris) => `Names are free for registration at the host of ${uris}.`,
  ),
  'redirect-ip-address': perRedirectUri(
    (uri) => isHttp(uri) && !isLoopback(uri) && IP_ADDRESS.test(urlOf(uri)?.hostname ?? ''),
    (uris) => `The redirect URIs are at an IP address: ${uris}.`,
  ),
  'redirect-credentials': perRedirectUri(
    (uri) => Boolean(urlOf(uri)?.username || urlOf(uri)?.password),
    (uris) => `The redirect URIs contain credentials: ${uris}.`,
  ),
  'redirect-missing': perClient(
    ({ grants, redirectUris }) =>
      grants.includes('authorization_code') && redirectUris.length === 0 && 'The client has no redirect URI.',
  ),
  'redirect-shared-by-clients'(facts) {
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
        others.length > 0 && `The clients ${listed([first!, ...others])} share the redirect URI \`${shownUri(uri)}\`.`,
      ),
    );
  },
});
