import type { Feature, ServerContext } from '../../contracts/feature.js';
import { called } from '../../contracts/feature-name.js';
import type { PushedRequestsFeature } from '../../features/pushed-requests/pushed-requests.js';
import type { SigningAlgorithm } from '../../jose/algorithms.js';
import type { DpopFeature } from '../../jose/dpop/dpop.js';
import { findKeys } from '../../jose/keys/find-keys.js';
import type { PrivateKeyJwtFeature } from '../../jose/private-key-jwt/private-key-jwt.js';
import type { RequestObjectsFeature } from '../../jose/request-objects/request-objects.js';
import type { TrustingFeature } from '../../jose/trusted-issuers/trusted-issuers.js';
import type { CibaFeature } from '../../openid/ciba/ciba.js';
import type { Options } from '../../options/settle.js';

/** What JWTs may be signed with; `EdDSA` is the older name of `Ed25519`. FAPI 2.0 SP §5.4.1, RFC 9864 */
export const ALGORITHMS: readonly SigningAlgorithm[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** How clients prove themselves. FAPI 2.0 SP §5.3.2.1 (6) */
export const AUTHENTICATIONS: ReadonlySet<string> = new Set([
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
]);

/** Grants that are none here: one gives the password of the user away, and one their token. FAPI 2.0 SP §5.3.2.1 (2), §5.3.2.2 (1) */
export const GRANTS: ReadonlySet<string> = new Set(['password', 'implicit']);

/** Seconds that a code is good. FAPI 2.0 SP §5.3.2.1 (11) */
export const LIFETIME = 60;

/** Seconds that a signed request is good. FAPI 2.0 Message Signing §5.3.1 */
export const LONGEST_REQUEST = 3600;

/** What binds a token to its client. RFC 9449 §6.1, RFC 8705 §3.1 */
const BINDINGS = ['jkt', 'x5t#S256'];

/** What the profile misses in how a host has set its server up, as sentences. */
export function* faultsOf(server: ServerContext, messageSigning: boolean): Iterable<string> {
  yield* optionFaults(server.options);
  const { clientAuthentications, confirmationMethods, forbidden } = server;
  if (clientAuthentications.every(({ method }) => forbidden.has(method))) {
    yield '`fapi2()` has clients prove themselves by a key or a certificate: list `privateKeyJwt()` or `mutualTls()`';
  }
  if (!BINDINGS.some((name) => confirmationMethods.has(name))) {
    yield '`fapi2()` binds each token to a key or a certificate: list `dpop()` or `mutualTls()`';
  }
  for (const feature of server.features) yield* featureFaults(feature);
  if (messageSigning) yield* signedRequestFaults(server.features);
  yield* algorithmFaults(server);
}

/** Of `requestObjects()`, where a host has listed its own, and of `ciba()`. */
function* signedRequestFaults(features: readonly Feature[]): Iterable<string> {
  for (const { asking, objects } of features as readonly Partial<CibaFeature & RequestObjectsFeature>[]) {
    if (asking && !asking.signed.required) {
      yield '`ciba()` beside `fapi2({ messageSigning: true })` must say `signed: { required: true }`: every request is signed';
    }
    if (!objects) continue;
    if (!objects.required) {
      yield '`requestObjects()` beside `fapi2()` must say `required: true`: every authorization request is signed';
    }
    if (!(Number(objects.maxLifetime) <= LONGEST_REQUEST)) {
      yield `\`maxLifetime\` of \`requestObjects()\` beside \`fapi2()\` must be ${LONGEST_REQUEST} seconds at most`;
    }
  }
}

/** Of the options of a server, or of one call. */
export function* optionFaults(options: Options): Iterable<string> {
  if (options.requirePKCE !== 'all') yield left('requirePKCE', 'has every client send a PKCE challenge');
  if (options.enablePlainPKCE) yield left('enablePlainPKCE', 'takes no `plain` challenges');
  if (Number(options.authorizationCodeLifetime) > LIFETIME) {
    yield left('authorizationCodeLifetime', `lets a code live for ${LIFETIME} seconds at most`);
  }
  if (options.alwaysIssueNewRefreshToken) {
    yield left('alwaysIssueNewRefreshToken', 'replaces no refresh tokens, which are bound to their clients');
  }
  if (options.allowBearerTokensInQueryString) {
    yield left('allowBearerTokensInQueryString', 'takes no tokens in a URL');
  }
  if (Object.values(options.requireClientAuthentication ?? {}).includes(false)) {
    yield left('requireClientAuthentication', 'has every client prove who it is');
  }
  const grant = Object.keys(options.extendedGrantTypes ?? {}).find((name) => GRANTS.has(name));
  if (grant !== undefined) yield `\`fapi2()\` forbids the grant \`${grant}\`: leave it out of \`extendedGrantTypes\``;
}

const left = (option: string, what: string) => `\`fapi2()\` ${what}: leave the option \`${option}\` out`;

/** What of other features is judged here. */
type Judged = PushedRequestsFeature &
  PrivateKeyJwtFeature &
  DpopFeature &
  RequestObjectsFeature &
  CibaFeature &
  TrustingFeature;

/** Of what a host may have listed itself. */
function* featureFaults(feature: Feature & Partial<Judged>): Iterable<string> {
  const { asking, assertions, objects, proofs, pushing, trusting } = feature;
  if (pushing && !pushing.required) {
    yield '`pushedRequests()` beside `fapi2()` must say `required: true`: every authorization request is pushed';
  }
  if (pushing && pushing.lifetime >= 600) {
    yield '`lifetime` of `pushedRequests()` beside `fapi2()` must be below 600 seconds';
  }
  if (assertions && !assertions.issuerAudienceOnly) {
    yield '`privateKeyJwt()` beside `fapi2()` must set `issuerAudienceOnly: true`: client assertions are for the issuer alone';
  }
  const weak = trusting?.algorithms.find((alg) => !ALGORITHMS.includes(alg));
  if (weak !== undefined) {
    yield `\`algorithms\` of an issuer of ${called(feature)} beside \`fapi2()\` must be ${ALGORITHMS.join(', ')} alone, and take \`${weak}\``;
  }
  const { clockTolerance } = assertions ?? proofs ?? objects ?? asking?.signed ?? trusting ?? {};
  if (clockTolerance === undefined || (clockTolerance >= 10 && clockTolerance <= 60)) return;
  yield `\`clockTolerance\` of ${called(feature)} beside \`fapi2()\` must be from 10 to 60 seconds`;
}

/** Whatever is signed, for this server or by it. FAPI 2.0 SP §5.4.1 */
function* algorithmFaults(server: ServerContext): Iterable<string> {
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
      yield `${called(feature)} beside \`fapi2()\` must take ${named} alone, and takes \`${String(weak)}\` (\`${member}\`)`;
    }
  }
}
