import { CLIENT_ASSERTIONS, CLOCK_TOLERANCES } from '../../../lib/adapter/index.js';
import { type ReportRule, rule } from '../rule.js';
import { DAY, isAbove, observe, option } from './observe.js';

/** Networks that contain more than the addresses of a proxy. */
const WIDE = /^(?:0\.0\.0\.0|::|\*)$|\/[0-7]$/;

/** Rules about keys, secrets, algorithms and proofs. */
export const KEY_RULES: readonly ReportRule[] = [
  rule('secret-guessable', 'high', 'RFC 6819 §5.1.4.2.2', {
    should: 'The option `secret` is random.',
    change: 'Create a random value, and read it from the environment.',
    code: "secret: process.env['OAUTH2_SECRET'] // openssl rand -base64 32",
    risk: 'Whoever guesses it forges CSRF tokens, state and cookies of known browsers.',
    judge: ({ secrets }) =>
      option(
        'secret',
        secrets.some(({ isPlaceholder, distinctCharacters }) => isPlaceholder || distinctCharacters < 12) &&
          'The secret contains a word of examples, or has too few different characters.',
      ),
  }),
  rule('key-small', 'high', 'RFC 7518 §3.3', {
    should: 'RSA keys have at least 2048 bits.',
    change: 'Replace the key by a new one, such as ES256.',
    code: "keys({ secret, algorithms: ['ES256'] })",
    risk: 'An attacker computes the private key and signs tokens.',
    judge: ({ keys }) =>
      keys.flatMap(({ kid, modulusBits = Infinity }) =>
        observe(`key:${kid}`, modulusBits < 2048 && `The RSA key has ${modulusBits} bits.`),
      ),
  }),
  rule('key-old', 'low', 'RFC 7517 §4.5', {
    should: 'Signing keys are replaced at least once a year.',
    change: 'Rotate the key, or set `rotateEvery`.',
    code: 'keys({ secret, rotateEvery: 7_776_000 })',
    risk: 'A key that was copied unnoticed still signs.',
    judge: ({ keys, now }) =>
      keys.flatMap(({ kid, signsFrom }) => {
        const days = signsFrom ? (now - signsFrom.getTime()) / 1000 / DAY : 0;
        return observe(`key:${kid}`, days > 366 && `The key signs since ${Math.floor(days)} days.`);
      }),
  }),
  rule('key-rotation-manual', 'info', 'OpenID Connect Core §10.1.1', {
    should: 'Keys in the store are rotated without a person.',
    change: 'Set `rotateEvery`.',
    code: 'keys({ secret, rotateEvery: 7_776_000 })',
    risk: 'The first rotation happens in an emergency, untested.',
    judge: ({ settings, has }) =>
      option(
        'keys.rotateEvery',
        has('keys') &&
          settings('keys')['stored'] === true &&
          settings('keys')['rotateEvery'] === undefined &&
          'Keys are rotated only by a command.',
      ),
  }),
  rule('authentication-by-shared-secret', 'info', 'RFC 9700 §2.5', {
    should: 'Clients authenticate with a private key that only they have.',
    change: 'Add `privateKeyJwt()` or `mutualTls()`.',
    code: 'features: [privateKeyJwt()]',
    risk: 'A leaked client secret is enough to act as this client.',
    judge: ({ server, store }) => {
      const methods = server.clientAuthentications.map(({ method }) => method);
      const byKey = methods.some((method) => method.includes('tls_client_auth') || method === 'private_key_jwt');
      return observe('features', store.can('getClient') && !byKey && 'All authentication methods use shared secrets.');
    },
  }),
  rule('clock-tolerance', 'medium', 'RFC 7519 §4.1.4', {
    should: 'The accepted clock skew is at most a minute.',
    change: 'Shorten `clockTolerance`, and synchronise the clocks.',
    code: 'dpop({ clockTolerance: 10 })',
    risk: 'Expired proofs and assertions are accepted for longer than their issuers expect.',
    judge: ({ server }) =>
      server
        .all(CLOCK_TOLERANCES)
        .flatMap(({ feature, seconds }) =>
          observe(`feature:${feature.replaceAll('`', '')}`, seconds > 60 && `${feature} accepts ${seconds} seconds.`),
        ),
  }),
  rule('dpop-lifetime', 'medium', 'RFC 9449 §11.1', {
    should: 'DPoP proofs are valid for seconds or minutes.',
    change: 'Shorten the lifetime.',
    code: 'dpop({ lifetime: 60 })',
    risk: 'A stolen proof that was not used yet works for longer, and each used one must be remembered.',
    judge: ({ settings }) => {
      const { lifetime } = settings('dpop');
      return option('dpop.lifetime', isAbove(lifetime, 300) && `Proofs are valid for ${lifetime} seconds.`);
    },
  }),
  rule('dpop-no-nonce', 'info', 'RFC 9449 §11.2', {
    should: 'DPoP proofs contain a nonce of the server.',
    change: 'Set `nonce`, if your clients can repeat a request.',
    code: "dpop({ nonce: { secret: process.env['OAUTH2_SECRET'] } })",
    risk: 'Malware that runs once on a device can create proofs for later.',
    judge: ({ settings, has }) =>
      option('dpop.nonce', has('dpop') && settings('dpop')['nonce'] !== true && 'Proofs need no nonce.'),
  }),
  rule('dpop-url-of-request', 'medium', 'RFC 9449 §4.3', {
    should: 'The URL in a proof is compared with the configured URL of this server.',
    change: 'Set `publicUrl` to the public URL, or remove it.',
    code: "dpop({ publicUrl: 'https://api.example.com' })",
    risk: 'If a proxy passes any `Host`, a proof for another server is accepted here.',
    judge: ({ settings }) =>
      option(
        'dpop.publicUrl',
        [settings('dpop')['publicUrls']].flat().includes('request') && 'The URL is taken from the request.',
      ),
  }),
  rule('assertion-audience', 'info', 'RFC 7523 §3', {
    should: 'The audience of client assertions is the issuer alone.',
    change: 'Set `issuerAudienceOnly`, if your clients send the issuer as `aud`.',
    code: 'privateKeyJwt({ issuerAudienceOnly: true })',
    risk: 'An attacker whose server the client also uses can make it sign an assertion for this server.',
    judge: ({ server }) =>
      option(
        'privateKeyJwt.issuerAudienceOnly',
        server.all(CLIENT_ASSERTIONS).some(({ issuerAudienceOnly }) => !issuerAudienceOnly) &&
          'URLs of endpoints are accepted as audience.',
      ),
  }),
  rule('mtls-proxy-wide', 'high', 'RFC 8705 §6.5', {
    should: 'Only the addresses of the proxy may send the certificate header.',
    change: 'List the addresses of the proxy.',
    code: "mutualTls({ proxy: { trusted: ['10.1.2.3'] } })",
    risk: 'Whoever reaches the process directly sends any certificate and acts as any client.',
    judge: ({ settings }) => {
      const { trusted = [] } = (settings('mutualTls')['proxy'] ?? {}) as { trusted?: readonly unknown[] };
      return option(
        'mutualTls.proxy.trusted',
        trusted.map(String).some((one) => WIDE.test(one)) && `Any address is trusted.`,
      );
    },
  }),
  rule('fetch-not-public', 'medium', 'RFC 7591 §5', {
    should: 'URLs of clients are fetched from public addresses only.',
    change: 'Remove `allow` and `allowLoopback`, or keep the list of addresses as small as possible.',
    code: 'clientIdDocuments({ fetch: { timeout: 3 } })',
    risk: 'Every client can make this server send requests to these internal addresses (SSRF).',
    isFineInDevelopment: true,
    judge: ({ server }) =>
      server.features.flatMap(({ id, settings = {} }) => {
        const fetch = [settings['fetch'], (settings['clientIdDocuments'] as { fetch?: unknown } | undefined)?.fetch];
        const open = fetch.some((one) => {
          const { allow = [], allowLoopback } = (one ?? {}) as { allow?: readonly string[]; allowLoopback?: boolean };
          return allow.length > 0 || allowLoopback === true;
        });
        return option(`${id}.fetch`, open && 'URLs of clients may have internal addresses.');
      }),
  }),
];
