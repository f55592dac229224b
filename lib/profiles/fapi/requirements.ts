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
import { isUntilUsed } from '../../options/reuse-interval.js';

/**
 * The signature algorithms that FAPI 2.0 allows for JWTs. `EdDSA` is the older name of `Ed25519`. FAPI 2.0 SP §5.4.1,
 * RFC 9864
 */
export const ALGORITHMS: readonly SigningAlgorithm[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** The client authentication methods that FAPI 2.0 allows. FAPI 2.0 SP §5.3.2.1 (6) */
export const AUTHENTICATION_METHODS: ReadonlySet<string> = new Set([
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
]);

/**
 * The grants that FAPI 2.0 forbids: they reveal the user's password to the client, or the access token to the browser.
 * FAPI 2.0 SP §5.3.2.1 (2), §5.3.2.2 (1)
 */
export const FORBIDDEN_GRANTS: ReadonlySet<string> = new Set(['password', 'implicit']);

/** Maximum lifetime of an authorization code in seconds. FAPI 2.0 SP §5.3.2.1 (11) */
export const MAX_CODE_LIFETIME = 60;

/** Maximum lifetime of a signed request in seconds. FAPI 2.0 Message Signing §5.3.1 */
export const MAX_REQUEST_LIFETIME = 3600;

/** The members of `cnf` by which a token is sender-constrained. RFC 9449 §6.1, RFC 8705 §3.1 */
const BINDINGS = ['jkt', 'x5t#S256'];

/** Yields the configuration errors of a server that does not meet the requirements of `fapi2()`. */
export function* configurationErrors(server: ServerContext, messageSigning: boolean): Iterable<string> {
  yield* optionErrors(server.options);
  const { clientAuthentications, confirmationMethods, forbiddenAuthenticationMethods: forbidden } = server;
  if (clientAuthentications.every(({ method }) => forbidden.has(method))) {
    yield '`fapi2()` requires client authentication with a key or certificate: add `privateKeyJwt()` or `mutualTls()`';
  }
  if (!BINDINGS.some((name) => confirmationMethods.has(name))) {
    yield '`fapi2()` requires tokens that are bound to a key or certificate: add `dpop()` or `mutualTls()`';
  }
  yield* featureErrors(server);
  if (messageSigning) yield* signedRequestErrors(server);
  yield* algorithmErrors(server);
}

/**
 * Yields an error if `requestObjects()` or `ciba()` accept requests without a signature, or if `requestObjects()`
 * accepts signed requests with a long lifetime. FAPI 2.0 Message Signing §5.3.1
 */
function* signedRequestErrors(server: ServerContext): Iterable<string> {
  for (const { endpoint, required, maxLifetime } of server.all(SIGNED_REQUESTS)) {
    if (endpoint !== 'authorize') {
      if (!required) {
        yield '`ciba()` with `fapi2({ messageSigning: true })` must set `signed: { required: true }`: every request must be signed';
      }
      continue;
    }
    if (!required) {
      yield '`requestObjects()` with `fapi2()` must set `required: true`: every authorization request must be signed';
    }
    if (!(Number(maxLifetime) <= MAX_REQUEST_LIFETIME)) {
      yield `\`maxLifetime\` of \`requestObjects()\` with \`fapi2()\` must be at most ${MAX_REQUEST_LIFETIME} seconds`;
    }
  }
}

/**
 * Yields the errors in the options of a server, or of a single call, that do not meet the requirements of `fapi2()`.
 */
export function* optionErrors(options: Options): Iterable<string> {
  if (options.requirePKCE !== 'all') yield omitOption('requirePKCE', 'requires a PKCE challenge of every client');
  if (options.enablePlainPKCE) yield omitOption('enablePlainPKCE', 'does not allow the PKCE method `plain`');
  if (Number(options.authorizationCodeLifetime) > MAX_CODE_LIFETIME) {
    yield omitOption('authorizationCodeLifetime', `limits the lifetime of codes to ${MAX_CODE_LIFETIME} seconds`);
  }
  if (options.alwaysIssueNewRefreshToken) {
    yield omitOption('alwaysIssueNewRefreshToken', 'does not rotate refresh tokens, which are bound to their clients');
  }
  if (isUntilUsed(options.refreshTokenReuseInterval)) {
    yield omitOption('refreshTokenReuseInterval', 'allows retries of a refresh for a short time only');
  }
  if (options.allowBearerTokensInQueryString) {
    yield omitOption('allowBearerTokensInQueryString', 'does not allow access tokens in a URL');
  }
  if (Object.values(options.requireClientAuthentication ?? {}).includes(false)) {
    yield omitOption('requireClientAuthentication', 'requires authentication of every client');
  }
  const grant = Object.keys(options.extendedGrantTypes ?? {}).find((name) => FORBIDDEN_GRANTS.has(name));
  if (grant !== undefined) yield `\`fapi2()\` forbids the grant \`${grant}\`: remove it from \`extendedGrantTypes\``;
}

const omitOption = (option: string, rule: string) => `\`fapi2()\` ${rule}: remove the option \`${option}\``;

/** Yields an error for each feature of the application that requires less than the profile. FAPI 2.0 SP §5.3 */
function* featureErrors(server: ServerContext): Iterable<string> {
  for (const { required, lifetime } of server.all(PUSHED_REQUESTS)) {
    if (!required) {
      yield '`pushedRequests()` with `fapi2()` must set `required: true`: every authorization request must be pushed';
    }
    if (lifetime >= 600) yield '`lifetime` of `pushedRequests()` with `fapi2()` must be below 600 seconds';
  }
  if (server.all(CLIENT_ASSERTIONS).some(({ issuerAudienceOnly }) => !issuerAudienceOnly)) {
    yield '`privateKeyJwt()` with `fapi2()` must set `issuerAudienceOnly: true`: only the issuer may be the audience of client assertions';
  }
  for (const { feature, algorithms } of server.all(TRUSTED_ISSUERS)) {
    const weak = algorithms.find((alg) => !ALGORITHMS.includes(alg));
    if (weak === undefined) continue;
    yield `\`algorithms\` of an issuer of ${feature} with \`fapi2()\` must contain only ${ALGORITHMS.join(', ')}. Got \`${weak}\``;
  }
  for (const { feature, seconds } of server.all(CLOCK_TOLERANCES)) {
    if (seconds >= 10 && seconds <= 60) continue;
    yield `\`clockTolerance\` of ${feature} with \`fapi2()\` must be from 10 to 60 seconds`;
  }
}

/**
 * Yields an error for each signing algorithm that the profile does not allow, in JWTs that the server signs or accepts.
 * FAPI 2.0 SP §5.4.1
 */
function* algorithmErrors(server: ServerContext): Iterable<string> {
  const allowed: readonly unknown[] = ALGORITHMS;
  const algorithmNames = ALGORITHMS.join(', ');
  const forbidden = findKeys(server)
    ?.algorithms()
    .find((alg) => !allowed.includes(alg));
  if (forbidden !== undefined)
    yield `\`keys()\` with \`fapi2()\` must sign with ${algorithmNames}. Got \`${forbidden}\``;
  for (const { feature, parts } of server.installed) {
    for (const [member, values] of Object.entries(parts.metadata?.(server.options.issuer) ?? {})) {
      if (!member.endsWith('_signing_alg_values_supported') || !Array.isArray(values)) continue;
      const weak = values.find((alg: unknown) => !allowed.includes(alg)) as unknown;
      if (weak === undefined) continue;
      yield `${featureName(feature)} with \`fapi2()\` must accept only ${algorithmNames}. Got \`${String(weak)}\` in \`${member}\``;
    }
  }
}
