import { listed, observe } from '../rules/observe.js';
import { type DeploymentRule, header, listOf, membersOf, rule } from './deployment-rule.js';
import { FORGED_HOST } from './examine.js';

const DAY = 86_400_000;

/** Rules about TLS, the metadata and forged headers of a deployment. */
export const TRANSPORT_RULES: readonly DeploymentRule[] = [
  rule('deployment-unreachable', 'high', 'RFC 8414 §3', {
    should: 'The deployment answers.',
    change: 'Verify the URL, the name servers and the firewall.',
    risk: 'Nothing else could be examined.',
    judge: ({ document }) => observe('deployment', !document && 'There is no response, or none within five seconds.'),
  }),
  rule('tls-untrusted', 'high', 'RFC 9700 §2.6', {
    should: 'The certificate is valid and trusted.',
    change: 'Install a certificate of a public authority, with the intermediate certificates.',
    code: 'certbot certonly -d id.example.com',
    risk: 'Clients refuse to connect, or are told to ignore certificates and accept an attacker.',
    isFineInDevelopment: true,
    judge: ({ tls }) => observe('tls', tls?.error !== undefined && `The certificate is not trusted: ${tls.error}.`),
  }),
  rule('tls-expires', 'medium', 'RFC 9700 §2.6', {
    should: 'The certificate is valid for at least two more weeks.',
    change: 'Renew it, and automate the renewal.',
    code: 'certbot renew',
    risk: 'All clients fail at one moment.',
    judge: ({ tls }) => {
      const days = tls ? Math.floor((tls.validUntil - Date.now()) / DAY) : Infinity;
      return observe('tls', days < 14 && `The certificate expires in ${days} days.`);
    },
  }),
  rule('tls-old-version', 'medium', 'RFC 9325 §3.1.1', {
    should: 'TLS 1.0 and 1.1 are off.',
    change: 'Set the minimum version at the proxy.',
    code: 'ssl_protocols TLSv1.2 TLSv1.3;',
    risk: 'Old versions have known attacks on their encryption.',
    judge: ({ tls }) => observe('tls', tls?.acceptsOldVersion && 'The server accepts TLS 1.0 or 1.1.'),
  }),
  rule('http-answered', 'medium', 'RFC 9700 §2.6', {
    should: 'Port 80 is closed, or redirects to https.',
    change: 'Redirect at the proxy.',
    code: 'return 301 https://$host$request_uri;',
    risk: 'A client with a mistyped URL sends its secret without encryption.',
    judge: ({ plain }) =>
      observe('http', plain !== undefined && plain.status < 300 && 'Requests by http are answered.'),
  }),
  rule('hsts-missing', 'low', 'RFC 6797 §5.1', {
    should: 'Responses have `Strict-Transport-Security` for at least half a year.',
    change: 'Add the header at the proxy.',
    code: 'add_header Strict-Transport-Security "max-age=31536000" always;',
    risk: 'The first request of a user who types the name goes by http, and an attacker answers it.',
    judge: ({ url, document }) => {
      const [, seconds = '0'] =
        /max-age="?(\d+)/i.exec(document ? header(document, 'strict-transport-security') : '') ?? [];
      const isShort = document !== undefined && url.protocol === 'https:' && Number(seconds) < 15_552_000;
      return observe('headers', isShort && `\`Strict-Transport-Security\` has ${seconds} seconds.`);
    },
  }),
  rule('metadata-not-found', 'medium', 'RFC 8414 §3', {
    should: 'The metadata document is at the well-known path.',
    change: 'Add `serverMetadata()`, and let the proxy pass `/.well-known/`.',
    code: 'features: [serverMetadata()]',
    risk: 'Clients cannot discover the server, and this report cannot find its endpoints.',
    judge: ({ document, metadata }) =>
      observe('metadata', document && !metadata && `The response is ${document.status}.`),
  }),
  rule('metadata-other-issuer', 'high', 'RFC 8414 §3.3', {
    should: 'The document names exactly the issuer under which it was requested.',
    change: 'Set `issuer` to the public URL, or examine the URL of the issuer.',
    code: "OAuth2Module.forRoot({ issuer: 'https://id.example.com', … })",
    risk: 'Clients reject the document, or accept tokens of another issuer.',
    judge: ({ metadata, url }) => {
      const expected = [url.href, url.href.replace(/\/$/, '')];
      const isOther = metadata !== undefined && !expected.includes(String(metadata['issuer']));
      return observe('metadata', isOther && `The issuer is \`${String(metadata['issuer'])}\`.`);
    },
  }),
  rule('metadata-http-endpoint', 'high', 'RFC 8414 §2', {
    should: 'All URLs in the metadata use https.',
    change: 'Set an https `issuer`.',
    code: "OAuth2Module.forRoot({ issuer: 'https://id.example.com', … })",
    risk: 'Clients send secrets and codes without encryption.',
    isFineInDevelopment: true,
    judge: (facts) => {
      const http = membersOf(facts, /_endpoint$|_uri$|^issuer$/).filter(([, url]) => /^http:/i.test(String(url)));
      return observe('metadata', http.length > 0 && `URLs without https: ${listed(http.map(([name]) => name))}.`);
    },
  }),
  rule('metadata-other-origin', 'info', 'RFC 9700 §4.4', {
    should: 'All endpoints are at the origin of the issuer.',
    change: 'Serve them at one host, or verify that the other host is yours.',
    risk: 'Endpoints at another origin were not examined.',
    judge: (facts) => {
      const others = membersOf(facts, /_endpoint$|^jwks_uri$/).filter(
        ([, value]) => URL.canParse(String(value)) && new URL(String(value)).origin !== facts.url.origin,
      );
      return observe('metadata', others.length > 0 && `Elsewhere: ${listed(others.map(([name]) => name))}.`);
    },
  }),
  rule('metadata-weak-algorithm', 'high', 'RFC 8725 §3.1', {
    should: 'The server accepts no unsigned JWTs and no challenge method `plain`.',
    change: 'Remove the algorithms and `enablePlainPKCE`.',
    risk: 'An attacker forges requests or redeems stolen codes.',
    judge: (facts) => {
      // OpenID Connect Core §15.1 allows `none` for ID tokens and request objects only in its metadata.
      const weak = membersOf(facts, /_alg_values_supported$/).filter(([, all]) => [all].flat().includes('none'));
      const plain = listOf(facts, 'code_challenge_methods_supported').includes('plain');
      const names = [...weak.map(([name]) => name), ...(plain ? ['code_challenge_methods_supported'] : [])];
      return observe('metadata', names.length > 0 && `\`none\` or \`plain\` is listed in ${listed(names)}.`);
    },
  }),
  rule('metadata-no-pkce', 'medium', 'RFC 9700 §2.1.1', {
    should: 'The metadata announces PKCE with `S256`.',
    change: 'Update the server, or add the member.',
    risk: 'Clients do not use PKCE, because they do not see that it is supported.',
    judge: (facts) =>
      observe(
        'metadata',
        facts.metadata?.['authorization_endpoint'] !== undefined &&
          !listOf(facts, 'code_challenge_methods_supported').includes('S256') &&
          '`code_challenge_methods_supported` does not contain `S256`.',
      ),
  }),
  rule('metadata-old-grants', 'low', 'RFC 9700 §2.4', {
    should: 'The metadata offers neither the password grant nor the implicit grant.',
    change: 'List the grant types to publish.',
    code: "serverMetadata({ grantTypes: ['authorization_code', 'refresh_token'] })",
    risk: 'Developers of clients use them.',
    judge: (facts) => {
      const old = listOf(facts, 'grant_types_supported').filter((one) => one === 'password' || one === 'implicit');
      return observe('metadata', old.length > 0 && `The metadata lists ${listed(old)}.`);
    },
  }),
  rule('metadata-no-iss', 'low', 'RFC 9207 §3', {
    should: 'Authorization responses contain `iss`.',
    change: 'Set `issuer`.',
    code: "OAuth2Module.forRoot({ issuer: 'https://id.example.com', … })",
    risk: 'Clients of several servers cannot detect a mix-up.',
    judge: ({ metadata }) =>
      observe(
        'metadata',
        metadata?.['authorization_endpoint'] !== undefined &&
          metadata['authorization_response_iss_parameter_supported'] !== true &&
          'The metadata does not announce `iss`.',
      ),
  }),
  rule('host-trusted', 'high', 'RFC 9700 §4.3', {
    should: 'Forged host headers change no URL.',
    change: 'Make URLs from `issuer`. Let the proxy reject unknown hosts and overwrite `X-Forwarded-*`.',
    code: 'server_name id.example.com; proxy_set_header X-Forwarded-Host $host;',
    risk: 'Links in pages, e-mails and cached documents lead to a host of an attacker.',
    judge: ({ forged }) =>
      Object.entries(forged).flatMap(([name, replies]) =>
        observe(
          `header:${name}`,
          replies.some(
            (reply) => reply.body.includes(FORGED_HOST) || header(reply, 'location').includes(FORGED_HOST),
          ) && `The response to a forged \`${name}\` contains the forged host.`,
        ),
      ),
  }),
  rule('scheme-trusted', 'high', 'RFC 9700 §4.3', {
    should: 'A forged `X-Forwarded-Proto` changes no URL and no cookie.',
    change: 'Let the proxy overwrite the header.',
    code: 'proxy_set_header X-Forwarded-Proto $scheme;',
    risk: 'Clients get http URLs, and cookies lose `Secure`.',
    judge: ({ forged, url }) => {
      const base = `http://${url.host}`;
      const replies = url.protocol === 'https:' ? (forged['X-Forwarded-Proto'] ?? []) : [];
      const changes = replies.some((one) => one.body.includes(base) || header(one, 'location').startsWith(base));
      return observe('header:X-Forwarded-Proto', changes && 'The response contains http URLs of this host.');
    },
  }),
];
