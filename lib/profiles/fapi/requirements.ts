import type { ServerContext } from '../../contracts/feature.js';
import { featureName } from '../../contracts/feature-name.js';
import { PUSHED_REQUESTS } from '../../features/pushed-requests/push-requirements.js';
import type { SigningAlgorithm } from '../../jose/algorithms.js';
import { CLOCK_TOLERANCES } from '../../jose/clock-tolerances.js';
import { findKeys } from '../../jose/keys/find-keys.js';
import { CLIENT_ASSERTIONS } from '../../jose/private-key-jwt/client-assertions.js';
import { SIGNED_REQUESTS } from '../../jose/request-objects/signed-requests.js';
import { TRUSTED_ISSUERS } from '../../jose/trusted-issuers/trusted-issuers.js';
import type { Options } from '../../options/resolve-options.js';

/** What JWTs may be signed with; `EdDSA` is the older name of `Ed25519`. FAPI 2.0 SP §5.4.1, RFC 9864 */
export const ALGORITHMS: readonly SigningAlgorithm[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** How clients prove themselves. FAPI 2.0 SP §5.3.2.1 (6) */
export const AUTHENTICATION_METHODS: ReadonlySet<string> = new Set([
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
]);

/** Grants that are none here: one gives the password of the user away, and one their token. FAPI 2.0 SP §5.3.2.1 (2), §5.3.2.2 (1) */
export const FORBIDDEN_GRANTS: ReadonlySet<string> = new Set(['password', 'implicit']);

/** Seconds that a code is good. FAPI 2.0 SP §5.3.2.1 (11) */
export const MAX_CODE_LIFETIME = 60;

/** Seconds that a signed request is good. FAPI 2.0 Message Signing §5.3.1 */
export const MAX_REQUEST_LIFETIME = 3600;

/** What binds a token to its client. RFC 9449 §6.1, RFC 8705 §3.1 */
const BINDINGS = ['jkt', 'x5t#S256'];

/** What the profile misses in how a host has set its server up, as sentences. */
export function* configurationErrors(server: ServerContext, messageSigning: boolean): Iterable<string> {
  yield* optionErrors(server.options);
  const { clientAuthentications, confirmationMethods, forbiddenAuthenticationMethods: forbidden } = server;
  if (clientAuthentications.every(({ method }) => forbidden.has(method))) {
    yield '`fapi2()` has clients prove themselves by a key or a certificate: list `privateKeyJwt()` or `mutualTls()`';
  }
  if (!BINDINGS.some((name) => confirmationMethods.has(name))) {
    yield '`fapi2()` binds each token to a key or a certificate: list `dpop()` or `mutualTls()`';
  }
  yield* featureErrors(server);
  if (messageSigning) yield* signedRequestErrors(server);
  yield* algorithmErrors(server);
}

/** Yields what `requestObjects()` and `ciba()` accept without a signature, or for too long. FAPI 2.0 Message Signing §5.3.1 */
function* signedRequestErrors(server: ServerContext): Iterable<string> {
  for (const { endpoint, required, maxLifetime } of server.all(SIGNED_REQUESTS)) {
    if (endpoint !== 'authorize') {
      if (!required) {
        yield '`ciba()` beside `fapi2({ messageSigning: true })` must say `signed: { required: true }`: every request is signed';
      }
      continue;
    }
    if (!required) {
      yield '`requestObjects()` beside `fapi2()` must say `required: true`: every authorization request is signed';
    }
    if (!(Number(maxLifetime) <= MAX_REQUEST_LIFETIME)) {
      yield `\`maxLifetime\` of \`requestObjects()\` beside \`fapi2()\` must be ${MAX_REQUEST_LIFETIME} seconds at most`;
    }
  }
}

/** Of the options of a server, or of one call. */
export function* optionErrors(options: Options): Iterable<string> {
  if (options.requirePKCE !== 'all') yield omitOption('requirePKCE', 'has every client send a PKCE challenge');
  if (options.enablePlainPKCE) yield omitOption('enablePlainPKCE', 'takes no `plain` challenges');
  if (Number(options.authorizationCodeLifetime) > MAX_CODE_LIFETIME) {
    yield omitOption('authorizationCodeLifetime', `lets a code live for ${MAX_CODE_LIFETIME} seconds at most`);
  }
  if (options.alwaysIssueNewRefreshToken) {
    yield omitOption('alwaysIssueNewRefreshToken', 'replaces no refresh tokens, which are bound to their clients');
  }
  if (options.allowBearerTokensInQueryString) {
    yield omitOption('allowBearerTokensInQueryString', 'takes no tokens in a URL');
  }
  if (Object.values(options.requireClientAuthentication ?? {}).includes(false)) {
    yield omitOption('requireClientAuthentication', 'has every client prove who it is');
  }
  const grant = Object.keys(options.extendedGrantTypes ?? {}).find((name) => FORBIDDEN_GRANTS.has(name));
  if (grant !== undefined) yield `\`fapi2()\` forbids the grant \`${grant}\`: leave it out of \`extendedGrantTypes\``;
}

const omitOption = (option: string, what: string) => `\`fapi2()\` ${what}: leave the option \`${option}\` out`;

/** Yields what features that the application lists itself accept beyond the profile. FAPI 2.0 SP §5.3 */
function* featureErrors(server: ServerContext): Iterable<string> {
  for (const { required, lifetime } of server.all(PUSHED_REQUESTS)) {
    if (!required) {
      yield '`pushedRequests()` beside `fapi2()` must say `required: true`: every authorization request is pushed';
    }
    if (lifetime >= 600) yield '`lifetime` of `pushedRequests()` beside `fapi2()` must be below 600 seconds';
  }
  if (server.all(CLIENT_ASSERTIONS).some(({ issuerAudienceOnly }) => !issuerAudienceOnly)) {
    yield '`privateKeyJwt()` beside `fapi2()` must set `issuerAudienceOnly: true`: client assertions are for the issuer alone';
  }
  for (const { feature, algorithms } of server.all(TRUSTED_ISSUERS)) {
    const weak = algorithms.find((alg) => !ALGORITHMS.includes(alg));
    if (weak === undefined) continue;
    yield `\`algorithms\` of an issuer of ${feature} beside \`fapi2()\` must be ${ALGORITHMS.join(', ')} alone, and take \`${weak}\``;
  }
  for (const { feature, seconds } of server.all(CLOCK_TOLERANCES)) {
    if (seconds >= 10 && seconds <= 60) continue;
    yield `\`clockTolerance\` of ${feature} beside \`fapi2()\` must be from 10 to 60 seconds`;
  }
}

/** Whatever is signed, for this server or by it. FAPI 2.0 SP §5.4.1 */
function* algorithmErrors(server: ServerContext): Iterable<string> {
  const allowed: readonly unknown[] = ALGORITHMS;
  const named = ALGORITHMS.join(', ');
  const odd = findKeys(server)
    ?.algorithms()
    .find((alg) => !allowed.includes(alg));
  if (odd !== undefined) yield `\`keys()\` beside \`fapi2()\` must sign by ${named}: \`${odd}\` is none of them`;
  for (const { feature, parts } of server.installed) {
    for (const [member, values] of Object.entries(parts.metadata?.(server.options.issuer) ?? {})) {
      if (!member.endsWith('_signing_alg_values_supported') || !Array.isArray(values)) continue;
      const weak = values.find((alg: unknown) => !allowed.includes(alg)) as unknown;
      if (weak === undefined) continue;
      yield `${featureName(feature)} beside \`fapi2()\` must take ${named} alone, and takes \`${String(weak)}\` (\`${member}\`)`;
    }
  }
}
