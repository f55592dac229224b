import { InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import type { Feature } from '../../contracts/feature.js';
import type { AuthorizationHooks } from '../../contracts/hooks.js';
import { pushedRequests, type PushedRequestOptions } from '../../features/pushed-requests/pushed-requests.js';
import { serverMetadata } from '../../features/server-metadata/server-metadata.js';
import { isObject } from '../../http/is-object.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, FLAG, OBJECT, SCOPES } from '../../options/value-checks.js';
import type { Request } from '../../http/request.js';
import { FORM_OR_URL, optional } from '../../http/parameters.js';
import { dpop } from '../../jose/dpop/dpop.js';
import type { DpopOptions } from '../../jose/dpop/options.js';
import { jarm } from '../../jose/jarm/jarm.js';
import { privateKeyJwt, type PrivateKeyJwtOptions } from '../../jose/private-key-jwt/private-key-jwt.js';
import { requestObjects } from '../../jose/request-objects/request-objects.js';
import { DEVICE_RESPONSE_TYPE } from '../../contracts/response-type.js';
import {
  ALGORITHMS,
  AUTHENTICATION_METHODS,
  configurationErrors,
  FORBIDDEN_GRANTS,
  MAX_CODE_LIFETIME,
  MAX_REQUEST_LIFETIME,
  optionErrors,
} from './requirements.js';
import { isLoopbackName } from '../../http/public-url.js';

/** The options of `fapi2()`. All are optional. */
export interface Fapi2Options {
  /** The scope values to publish in the server metadata. If omitted, none are published. */
  scopes?: readonly string[];
  /**
   * Further options of `privateKeyJwt()`. `false` omits the feature: then add `mutualTls()` for client authentication.
   * If omitted, `privateKeyJwt()` has its default options. Its algorithms and audience are set by the profile.
   */
  privateKeyJwt?: Omit<PrivateKeyJwtOptions, 'algorithms' | 'audiences' | 'issuerAudienceOnly'> | false;
  /**
   * Further options of `dpop()`. `false` omits the feature: then add `mutualTls()` to bind tokens. If omitted, `dpop()`
   * has its default options. Its algorithms are set by the profile.
   */
  dpop?: Omit<DpopOptions, 'algorithms'> | false;
  /** Further options of `pushedRequests()`. If omitted, its default options. Its option `required` is always `true`. */
  pushedRequests?: Omit<PushedRequestOptions, 'required'>;
  /**
   * Whether to require FAPI 2.0 Message Signing too: clients sign their requests, and the server signs responses to
   * clients that request it by `response_mode`. Requires `keys()`. Default: `false`.
   */
  messageSigning?: boolean;
}

/**
 * Returns the features that the FAPI 2.0 Security Profile requires of an authorization server and its clients. A
 * feature that the application lists itself replaces the one of the profile. If that feature requires less than the
 * profile, the server does not start. FAPI 2.0 SP §5.3
 * @throws {InvalidArgumentError} If an option is unknown.
 */
export function fapi2(options: Fapi2Options = {}): readonly Feature[] {
  const { scopes, messageSigning, ...further } = OPTIONS.read(options);
  return [
    serverMetadata({ scopes }),
    pushedRequests({ ...further.pushedRequests, required: true }),
    ...(further.privateKeyJwt === false
      ? []
      : [privateKeyJwt({ ...further.privateKeyJwt, algorithms: ALGORITHMS, issuerAudienceOnly: true })]),
    ...(further.dpop === false ? [] : [dpop({ ...further.dpop, algorithms: ALGORITHMS })]),
    ...(messageSigning ? [requestObjects(SIGNED_REQUESTS), jarm()] : []),
    profile(messageSigning),
  ];
}

/** Accepts `false`, or the options of a feature, which validates them itself. */
const OPTIONS_OR_FALSE = accepts<object | false>('an object or `false`', (value) => value === false || isObject(value));

const OPTIONS = optionTable('`fapi2()`', {
  scopes: { check: SCOPES, default: [] },
  privateKeyJwt: { check: OPTIONS_OR_FALSE },
  dpop: { check: OPTIONS_OR_FALSE },
  pushedRequests: { check: OBJECT },
  messageSigning: { check: FLAG, default: false },
} satisfies OptionRows<Fapi2Options>);

/** The options of `requestObjects()` for signed requests. FAPI 2.0 Message Signing §5.3.1 */
const SIGNED_REQUESTS = {
  required: true,
  byReference: false,
  algorithms: ALGORITHMS,
  maxLifetime: MAX_REQUEST_LIFETIME,
};

/** Returns the feature that validates the requirements of the profile on all other features and their options. */
const profile = (messageSigning: boolean): Feature => ({
  id: 'fapi2',
  specification: 'FAPI 2.0',
  settings: { messageSigning },
  // No rotation: a client that loses a response would lose its grant. Its refresh tokens are sender-constrained anyway.
  defaults: { requirePKCE: 'all', authorizationCodeLifetime: MAX_CODE_LIFETIME, alwaysIssueNewRefreshToken: false },
  forbids: {
    grants: (name) => FORBIDDEN_GRANTS.has(name),
    responseTypes: (name) => name !== 'code',
    clientAuthentications: (method) => !AUTHENTICATION_METHODS.has(method),
    algorithms: (alg) => !ALGORITHMS.some((one) => one === alg),
  },

  install: () => ({
    authorization: { resolve: requirePushed, read: verifyRedirectUri },
    token: { issue: ({ tokenMembers: token }) => requireBinding(token['cnf']) },
    resource: { verify: ({ token }) => verifyBinding(token['cnf']) },
    misconfigurations: (server) => configurationErrors(server, messageSigning),
    callMisconfigurations: optionErrors,
  }),
});

/**
 * Renders an error page for a request that was not pushed, if it contains a request object or its redirect URI is
 * missing or not encrypted. All other requests that were not pushed are rejected by `pushedRequests()`, which returns
 * the error to the client. FAPI 2.0 SP §5.3.2.2 (8)
 * @throws {InvalidRequestError} For such a request.
 */
function requirePushed(request: Request): void {
  if (optional(request, 'request_uri', () => true, FORM_OR_URL) !== undefined) return;
  const redirectUri = optional(request, 'redirect_uri', () => true, FORM_OR_URL);
  const object = optional(request, 'request', () => true, FORM_OR_URL);
  if (object !== undefined || redirectUri === undefined || !isEncrypted(redirectUri)) throw notPushed();
}

/**
 * Verifies that the request contains a `redirect_uri` that does not use http, except for a loopback address. FAPI 2.0
 * SP §5.3.2.2 (6, 8)
 */
const verifyRedirectUri: NonNullable<AuthorizationHooks['read']> = (
  _,
  { redirectUri, redirectUriSent, responseType },
) => {
  // A device request has no redirect URI.
  if (responseType === DEVICE_RESPONSE_TYPE) return;
  if (!redirectUriSent) throw new InvalidRequestError('Missing parameter: `redirect_uri`');
  if (isEncrypted(redirectUri)) return;
  const reason = '`redirect_uri` uses http, but is not a loopback address';
  throw new InvalidRequestError(
    'Invalid request: `redirect_uri` must not use http, except for a loopback address',
  ).because({ reason });
};

/**
 * Verifies that a new token is sender-constrained. FAPI 2.0 SP §5.3.2.1 (4)
 * @throws {InvalidRequestError} If it is not.
 */
function requireBinding(cnf: unknown): void {
  if (isBound(cnf)) return;
  const reason =
    'client did not prove possession of a key, by DPoP or a certificate, to which the token could be bound';
  throw new InvalidRequestError('Invalid request: the token would not be bound to a key').because({ reason });
}

/**
 * Verifies that a presented access token is sender-constrained. FAPI 2.0 SP §5.3.4
 * @throws {InvalidTokenError} If it is not.
 */
function verifyBinding(cnf: unknown): void {
  if (isBound(cnf)) return;
  const reason = 'access token is not bound to a key of its client';
  throw new InvalidTokenError('Invalid token: access token is not bound to a key').because({ reason });
}

/**
 * Whether a token is bound to a key: its `cnf` is not empty. The start-up check ensures that a feature verifies
 * bindings. RFC 7800 §3
 */
const isBound = (cnf: unknown): boolean => typeof cnf === 'object' && cnf !== null && Object.keys(cnf).length > 0;

const notPushed = () =>
  new InvalidRequestError('Invalid request: authorization requests must be pushed (RFC 9126)').because({
    reason: 'authorization request was not pushed',
  });

/** Whether responses to a redirect URI are encrypted, or stay on the user's device. FAPI 2.0 SP §5.3.2.2 (8) */
const isEncrypted = (redirectUri: string): boolean =>
  !/^http:/i.test(redirectUri) || (URL.canParse(redirectUri) && isLoopbackName(new URL(redirectUri).hostname));
