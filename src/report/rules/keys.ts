import { CLIENT_ASSERTIONS, CLOCK_TOLERANCES } from '../../../lib/internal.js';
import { observe, type ReportRule, rulesOf } from '../rule.js';
import { DAY, isAbove } from './observe.js';

/** Networks that contain more than the addresses of a proxy. */
const WIDE = /^(?:0\.0\.0\.0|::|\*)$|\/[0-7]$/;

/** The texts of the rules. `rulesOf()` describes the columns. */
const TEXTS = `
secret-guessable | high | option:secret | RFC 6819 §5.1.4.2.2 | The option \`secret\` is random. | Create a random value, and read it from the environment. | secret: process.env['OAUTH2_SECRET'] // openssl rand -base64 32 | An attacker who guesses it forges CSRF tokens, state and cookies of known browsers.
key-small | high | | RFC 7518 §3.3 | RSA keys have at least 2048 bits. | Replace the key by a new one, such as ES256. | keys({ secret, algorithms: ['ES256'] }) | An attacker computes the private key and signs tokens.
key-old | low | | RFC 7517 §4.5 | Signing keys are replaced at least once a year. | Rotate the key, or set \`rotateEvery\`. | keys({ secret, rotateEvery: 7_776_000 }) | A key that was copied unnoticed still signs.
key-rotation-manual | info | option:keys.rotateEvery | OpenID Connect Core §10.1.1 | Keys in the store are rotated without a person. | Set \`rotateEvery\`. | keys({ secret, rotateEvery: 7_776_000 }) | The first rotation happens in an emergency, untested.
authentication-by-shared-secret | info | features | RFC 9700 §2.5 | Clients authenticate with a private key that only they have. | Add \`privateKeyJwt()\` or \`mutualTls()\`. | features: [privateKeyJwt()] // of 'nest-oauth2/jose' | A leaked client secret is enough to act as this client.
clock-tolerance | medium | | RFC 7519 §4.1.4 | The accepted clock skew is at most a minute. | Shorten \`clockTolerance\`, and synchronise the clocks. | dpop({ clockTolerance: 10 }) | Expired proofs and assertions are accepted for longer than their issuers expect.
dpop-lifetime | medium | option:dpop.lifetime | RFC 9449 §11.1 | DPoP proofs are valid for seconds or minutes. | Shorten the lifetime. | dpop({ lifetime: 60 }) | A stolen proof that was not used yet works for longer, and each used one must be remembered.
dpop-no-nonce | info | option:dpop.nonce | RFC 9449 §11.2 | DPoP proofs contain a nonce of the server. | Set \`nonce\`, if your clients can repeat a request. | dpop({ nonce: { secret: process.env['OAUTH2_SECRET'] } }) | Malware that runs once on a device can create proofs for later.
dpop-url-of-request | medium | option:dpop.publicUrl | RFC 9449 §4.3 | The URL in a proof is compared with the configured URL of this server. | Set \`publicUrl\` to the public URL, or remove it. | dpop({ publicUrl: 'https://api.example.com' }) | If a proxy passes any \`Host\`, a proof for another server is accepted here.
assertion-audience | info | option:privateKeyJwt.issuerAudienceOnly | RFC 7523 §3 | The audience of client assertions is the issuer alone. | Set \`issuerAudienceOnly\`, if your clients send the issuer as \`aud\`. | privateKeyJwt({ issuerAudienceOnly: true }) | An attacker whose server the client also uses can make it sign an assertion for this server.
mtls-proxy-wide | high | option:mutualTls.proxy.trusted | RFC 8705 §6.5 | Only the addresses of the proxy may send the certificate header. | List the addresses of the proxy. | mutualTls({ proxy: { trusted: ['10.1.2.3'] } }) | An attacker who reaches the process directly sends any certificate and acts as any client.
fetch-not-public | medium* | | RFC 7591 §5 | URLs of clients are fetched from public addresses only. | Remove \`allow\` and \`allowLoopback\`, or keep the list of addresses as small as possible. | clientIdDocuments({ fetch: { timeout: 3 } }) | Every client can make this server send requests to these internal addresses (SSRF).
`;

/** Rules about keys, secrets, algorithms and proofs. */
export const KEY_RULES: readonly ReportRule[] = rulesOf(TEXTS, {
  'secret-guessable': ({ secrets }) =>
    secrets.some(({ isPlaceholder, distinctCharacters }) => isPlaceholder || distinctCharacters < 12) &&
    'The secret contains a word of examples, or has too few different characters.',
  'key-small': ({ keys }) =>
    keys.flatMap(({ kid, modulusBits = Infinity }) =>
      observe(`key:${kid}`, modulusBits < 2048 && `The RSA key has ${modulusBits} bits.`),
    ),
  'key-old': ({ keys, now }) =>
    keys.flatMap(({ kid, signsFrom }) => {
      const days = signsFrom ? (now - signsFrom.getTime()) / 1000 / DAY : 0;
      return observe(`key:${kid}`, days > 366 && `The key signs since ${Math.floor(days)} days.`);
    }),
  'key-rotation-manual': ({ settings, has }) =>
    has('keys') &&
    settings('keys')['stored'] === true &&
    settings('keys')['rotateEvery'] === undefined &&
    'Keys are rotated only by a command.',
  'authentication-by-shared-secret': ({ server, store }) => {
    const methods = server.clientAuthentications.map(({ method }) => method);
    const byKey = methods.some((method) => method.includes('tls_client_auth') || method === 'private_key_jwt');
    return store.can('getClient') && !byKey && 'All authentication methods use shared secrets.';
  },
  'clock-tolerance': ({ server }) =>
    server
      .all(CLOCK_TOLERANCES)
      .flatMap(({ feature, seconds }) =>
        observe(`feature:${feature.replaceAll('`', '')}`, seconds > 60 && `${feature} accepts ${seconds} seconds.`),
      ),
  'dpop-lifetime': ({ settings }) => {
    const { lifetime } = settings('dpop');
    return isAbove(lifetime, 300) && `Proofs are valid for ${lifetime} seconds.`;
  },
  'dpop-no-nonce': ({ settings, has }) => has('dpop') && settings('dpop')['nonce'] !== true && 'Proofs need no nonce.',
  'dpop-url-of-request': ({ settings }) =>
    [settings('dpop')['publicUrl']].flat().includes('request') && 'The URL is taken from the request.',
  'assertion-audience': ({ server }) =>
    server.all(CLIENT_ASSERTIONS).some(({ issuerAudienceOnly }) => !issuerAudienceOnly) &&
    'URLs of endpoints are accepted as audience.',
  'mtls-proxy-wide': ({ settings }) => {
    const { trusted = [] } = (settings('mutualTls')['proxy'] ?? {}) as { trusted?: readonly unknown[] };
    return trusted.map(String).some((one) => WIDE.test(one)) && `Any address is trusted.`;
  },
  'fetch-not-public': ({ server }) =>
    server.features.flatMap(({ id, settings = {} }) => {
      const fetch = [settings['fetch'], (settings['clientIdDocuments'] as { fetch?: unknown } | undefined)?.fetch];
      const open = fetch.some((one) => {
        const { allow = [], allowLoopback } = (one ?? {}) as { allow?: readonly string[]; allowLoopback?: boolean };
        return allow.length > 0 || allowLoopback === true;
      });
      return observe(`option:${id}.fetch`, open && 'URLs of clients may have internal addresses.');
    }),
});
