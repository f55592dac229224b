import { listed } from '../rules/observe.js';
import { type DeploymentRule, header, listOf, membersOf } from './deployment-rule.js';
import { FORGED_HOST } from './examine.js';
import { observe, rulesOf } from '../rule.js';

const DAY = 86_400_000;

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
deployment-unreachable | high | deployment | RFC 8414 §3 | The deployment answers. | Verify the URL, the name servers and the firewall. | | Nothing else could be examined.
tls-untrusted | high* | tls | RFC 9700 §2.6 | The certificate is valid and trusted. | Install a certificate of a public authority, with the intermediate certificates. | certbot certonly -d id.example.com | Clients refuse to connect. If they ignore certificates, they accept an attacker.
tls-expires | medium | tls | RFC 9700 §2.6 | The certificate is valid for at least two more weeks. | Renew it, and automate the renewal. | certbot renew | All clients fail at one moment.
tls-old-version | medium | tls | RFC 9325 §3.1.1 | TLS 1.0 and 1.1 are off. | Set the minimum version at the proxy. | ssl_protocols TLSv1.2 TLSv1.3; | Old versions have known attacks on their encryption.
http-answered | medium | http | RFC 9700 §2.6 | Port 80 is closed, or redirects to https. | Redirect at the proxy. | return 301 https://$host$request_uri; | A client with a mistyped URL sends its secret without encryption.
hsts-missing | low | headers | RFC 6797 §5.1 | Responses have \`Strict-Transport-Security\` for at least half a year. | Add the header at the proxy. | add_header Strict-Transport-Security "max-age=31536000" always; | The first request after a user types the name uses http, and an attacker answers it.
metadata-not-found | medium | metadata | RFC 8414 §3 | The metadata document is at the well-known path. | Add \`serverMetadata()\`, and let the proxy pass \`/.well-known/\`. | features: [serverMetadata()] // of 'nest-oauth2/features' | Clients cannot discover the server, and this report cannot find its endpoints.
metadata-other-issuer | high | metadata | RFC 8414 §3.3 | The document names exactly the issuer under which it was requested. | Set \`issuer\` to the public URL, or examine the URL of the issuer. | OAuth2Module.forRoot({ issuer: 'https://id.example.com', … }) | Clients reject the document, or accept tokens of another issuer.
metadata-http-endpoint | high* | metadata | RFC 8414 §2 | All URLs in the metadata use https. | Set an https \`issuer\`. | OAuth2Module.forRoot({ issuer: 'https://id.example.com', … }) | Clients send secrets and codes without encryption.
metadata-other-origin | info | metadata | RFC 9700 §4.4 | All endpoints are at the origin of the issuer. | Serve them at one host, or verify that the other host is yours. | | Endpoints at another origin were not examined.
metadata-weak-algorithm | high | metadata | RFC 8725 §3.1 | The server accepts no unsigned JWTs and no challenge method \`plain\`. | Remove the algorithms and \`enablePlainPKCE\`. | | An attacker forges requests or redeems stolen codes.
metadata-no-pkce | medium | metadata | RFC 9700 §2.1.1 | The metadata announces PKCE with \`S256\`. | Update the server, or add the member. | | Clients do not use PKCE, because they do not see that it is supported.
metadata-old-grants | low | metadata | RFC 9700 §2.4 | The metadata offers neither the password grant nor the implicit grant. | List the grant types to publish. | serverMetadata({ grantTypes: ['authorization_code', 'refresh_token'] }) | Developers of clients use them.
metadata-no-iss | low | metadata | RFC 9207 §3 | Authorization responses contain \`iss\`. | Set \`issuer\`. | OAuth2Module.forRoot({ issuer: 'https://id.example.com', … }) | Clients of several servers cannot detect a mix-up.
host-trusted | high | | RFC 9700 §4.3 | Forged host headers change no URL. | Make URLs from \`issuer\`. Let the proxy reject unknown hosts and overwrite \`X-Forwarded-*\`. | server_name id.example.com; proxy_set_header X-Forwarded-Host $host; | Links in pages, e-mails and cached documents lead to a host of an attacker.
scheme-trusted | high | header:X-Forwarded-Proto | RFC 9700 §4.3 | A forged \`X-Forwarded-Proto\` changes no URL and no cookie. | Let the proxy overwrite the header. | proxy_set_header X-Forwarded-Proto $scheme; | Clients get http URLs, and cookies lose \`Secure\`.
`;

/** Rules about TLS, the metadata and forged headers of a deployment. */
export const TRANSPORT_RULES: readonly DeploymentRule[] = rulesOf(TEXTS, {
  'deployment-unreachable': ({ document }) => !document && 'There is no response, or none within five seconds.',
  'tls-untrusted': ({ tls }) => tls?.error !== undefined && `The certificate is not trusted: ${tls.error}.`,
  'tls-expires': ({ tls }) => {
    const days = tls ? Math.floor((tls.validUntil - Date.now()) / DAY) : Infinity;
    return days < 14 && `The certificate expires in ${days} days.`;
  },
  'tls-old-version': ({ tls }) => tls?.acceptsOldVersion && 'The server accepts TLS 1.0 or 1.1.',
  'http-answered': ({ plain }) => plain !== undefined && plain.status < 300 && 'Requests by http are answered.',
  'hsts-missing': ({ url, document }) => {
    const [, seconds = '0'] =
      /max-age="?(\d+)/i.exec(document ? header(document, 'strict-transport-security') : '') ?? [];
    const isShort = document !== undefined && url.protocol === 'https:' && Number(seconds) < 15_552_000;
    return isShort && `\`Strict-Transport-Security\` has ${seconds} seconds.`;
  },
  'metadata-not-found': ({ document, metadata }) => document && !metadata && `The response is ${document.status}.`,
  'metadata-other-issuer': ({ metadata, url }) => {
    const expected = [url.href, url.href.replace(/\/$/, '')];
    const isOther = metadata !== undefined && !expected.includes(String(metadata['issuer']));
    return isOther && `The issuer is \`${String(metadata['issuer'])}\`.`;
  },
  'metadata-http-endpoint': (facts) => {
    const http = membersOf(facts, /_endpoint$|_uri$|^issuer$/).filter(([, url]) => /^http:/i.test(String(url)));
    return http.length > 0 && `URLs without https: ${listed(http.map(([name]) => name))}.`;
  },
  'metadata-other-origin': (facts) => {
    const others = membersOf(facts, /_endpoint$|^jwks_uri$/).filter(
      ([, value]) => URL.canParse(String(value)) && new URL(String(value)).origin !== facts.url.origin,
    );
    return others.length > 0 && `Elsewhere: ${listed(others.map(([name]) => name))}.`;
  },
  'metadata-weak-algorithm': (facts) => {
    // OpenID Connect Core §15.1 allows `none` for ID tokens and request objects only in its metadata.
    const weak = membersOf(facts, /_alg_values_supported$/).filter(([, all]) => [all].flat().includes('none'));
    const plain = listOf(facts, 'code_challenge_methods_supported').includes('plain');
    const names = [...weak.map(([name]) => name), ...(plain ? ['code_challenge_methods_supported'] : [])];
    return names.length > 0 && `\`none\` or \`plain\` is listed in ${listed(names)}.`;
  },
  'metadata-no-pkce': (facts) =>
    facts.metadata?.['authorization_endpoint'] !== undefined &&
    !listOf(facts, 'code_challenge_methods_supported').includes('S256') &&
    '`code_challenge_methods_supported` does not contain `S256`.',
  'metadata-old-grants': (facts) => {
    const old = listOf(facts, 'grant_types_supported').filter((one) => one === 'password' || one === 'implicit');
    return old.length > 0 && `The metadata lists ${listed(old)}.`;
  },
  'metadata-no-iss': ({ metadata }) =>
    metadata?.['authorization_endpoint'] !== undefined &&
    metadata['authorization_response_iss_parameter_supported'] !== true &&
    'The metadata does not announce `iss`.',
  'host-trusted': ({ forged }) =>
    Object.entries(forged).flatMap(([name, replies]) =>
      observe(
        `header:${name}`,
        replies.some((reply) => reply.body.includes(FORGED_HOST) || header(reply, 'location').includes(FORGED_HOST)) &&
          `The response to a forged \`${name}\` contains the forged host.`,
      ),
    ),
  'scheme-trusted': ({ forged, url }) => {
    const base = `http://${url.host}`;
    const replies = url.protocol === 'https:' ? (forged['X-Forwarded-Proto'] ?? []) : [];
    const changes = replies.some((one) => one.body.includes(base) || header(one, 'location').startsWith(base));
    return changes && 'The response contains http URLs of this host.';
  },
});
