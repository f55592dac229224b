import { DPOP_BOUND_ACCESS_TOKENS } from '../../clients/registration/client-fields.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidGrantError, InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import type { Feature } from '../../contracts/feature.js';
import type { AuthorizationHooks, TokenHooks } from '../../contracts/hooks.js';
import { jktOf, verifyRetryBinding } from '../../tokens/confirmation.js';
import { CLOCK_TOLERANCES } from '../clock-tolerances.js';
import { DPOP_OPTIONS, type DpopOptions, findConfigurationErrors, nonceSecrets } from './options.js';
import { NONCES, Nonces } from './nonces.js';
import { invalidProof } from './proof.js';
import { ProofVerifier } from './proof-verifier.js';

/**
 * Binds tokens to a key of the client (DPoP). The client proves possession of the key with each request, so a stolen
 * token is useless without it. Use this feature at the authorization server and at its APIs, with any model. Codes are
 * stored with `dpopJkt`, tokens with `cnf`. RFC 9449
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function dpop(options: DpopOptions = {}): Feature {
  const settings = DPOP_OPTIONS.read(options);
  // Servers that share the feature share the cache: a request that two of them authenticate has only one proof.
  const proofs = new ProofVerifier(settings);
  return {
    id: 'dpop',
    specification: 'RFC 9449',
    settings: { ...settings, nonce: options.nonce !== undefined },
    parameters: {
      authorize: { dpop_jkt: 'The JWK thumbprint of the DPoP key with which the client will redeem the code.' },
    },

    install(builder) {
      const { nonce } = options;
      const nonces = builder.find(NONCES);
      if (nonce) builder.provide(NONCES, () => new Nonces(nonceSecrets(nonce, builder.server), nonce));
      builder.contribute(CLOCK_TOLERANCES, { feature: '`dpop()`', seconds: settings.clockTolerance });
      return {
        confirmationMethods: ['jkt'],
        tokenSchemes: { DPoP: { algs: settings.algorithms.join(' ') } },
        authorization: { read: readThumbprint },
        pushedRequest: { complete: (request, parameters) => completePushed(request, parameters, proofs, nonces()) },
        token: tokenHooks(proofs, nonces),
        resource: {
          async verify(presented) {
            const { token, scheme } = presented;
            const jkt = jktOf(token);
            if ((scheme === 'DPoP') === (jkt === undefined)) throw schemeMismatch(scheme);
            if (jkt !== undefined) await proofs.verifyAtResource(presented, jkt, nonces());
          },
        },
        metadata: () => ({ dpop_signing_alg_values_supported: settings.algorithms }),
        *misconfigurations(server) {
          yield* findConfigurationErrors(settings, server);
          void nonces();
        },
      };
    },
  };
}

/**
 * Reads the parameter `dpop_jkt`, which binds the authorization code to a key. Returns the data to store with the code.
 * RFC 9449 §10
 * @throws {InvalidRequestError} If the client requires DPoP-bound tokens, and the response type issues tokens directly.
 */
const readThumbprint: NonNullable<AuthorizationHooks['read']> = (parameters, { client, responseType }) => {
  if (DPOP_BOUND_ACCESS_TOKENS.of(client) && responseType.split(' ').includes('token')) {
    const reason = 'client requires DPoP-bound tokens, but the authorization endpoint cannot issue them';
    throw new InvalidRequestError(
      'Invalid request: this client requires DPoP-bound tokens, which the authorization endpoint cannot issue',
    ).because({ reason });
  }
  const dpopJkt = parameters.optional('dpop_jkt', (text) => /^[\w-]{43}$/.test(text));
  return dpopJkt === undefined ? undefined : { dpopJkt };
};

/**
 * Binds the authorization code of a pushed authorization request to the key of the DPoP proof that is sent with the
 * request. RFC 9449 §10.1
 */
async function completePushed(
  request: ClientRequest,
  parameters: Record<string, string | readonly string[]>,
  proofs: ProofVerifier,
  nonces: Nonces | undefined,
): Promise<void> {
  const jkt = await proofs.verifyAtEndpoint(request, 'pushed_authorization_request', nonces);
  if (jkt === undefined) return;
  const requestedJkt = parameters['dpop_jkt'];
  if (requestedJkt !== undefined && requestedJkt !== jkt)
    throw invalidProof('the key of the proof does not match `dpop_jkt`');
  parameters['dpop_jkt'] = jkt;
  await proofs.consume(request);
}

/** Returns the token hooks that bind tokens to the key of the DPoP proof. RFC 9449 §5 */
const tokenHooks = (proofs: ProofVerifier, nonces: () => Nonces | undefined): TokenHooks => ({
  async admit(request) {
    const { client, tokenMembers } = request;
    const jkt = await proofs.verifyAtEndpoint(request, 'token', nonces());
    if (jkt !== undefined) tokenMembers['cnf'] = { ...(tokenMembers['cnf'] as object | undefined), jkt };
    else if (DPOP_BOUND_ACCESS_TOKENS.of(client)) throw missingProof();
  },

  async issue(request) {
    verifyBoundKey(request);
    await proofs.consume(request);
  },

  async respond(request, issued) {
    // The proof is consumed here, since `issue` does not run for a retry that gets the earlier response, nor for a
    // response without an access token.
    await proofs.consume(request);
    verifyRetryBinding(request, issued, 'jkt');
    if (jktOf(issued) !== undefined) request.responseMembers['token_type'] = 'DPoP';
  },
});

/**
 * Verifies that a bound authorization code, or a bound refresh token of an unauthenticated client, is presented with a
 * proof of the key that it is bound to. RFC 9449 §5, §10
 * @throws {InvalidGrantError} If the request has no proof, or a proof with another key.
 */
function verifyBoundKey({ code, authenticationMethod, refreshToken, tokenMembers }: ClientRequest): void {
  const boundJkt: unknown = code?.['dpopJkt'] ?? (authenticationMethod === 'none' ? jktOf(refreshToken) : undefined);
  const provenJkt = jktOf(tokenMembers);
  if (boundJkt === undefined || boundJkt === provenJkt) return;
  const kind = code ? 'authorization code' : 'refresh token';
  const detail = {
    reason: `${kind} was not presented with the DPoP key that it is bound to`,
    expected: boundJkt,
    given: provenJkt,
  };
  throw new InvalidGrantError(`Invalid grant: ${kind} requires a DPoP proof with the key that it is bound to`).because(
    detail,
  );
}

/**
 * Returns the error for an access token that is presented with the wrong scheme. A DPoP-bound token requires `DPoP`,
 * any other token `Bearer`. RFC 9449 §7.1, §7.2
 */
function schemeMismatch(scheme: string): InvalidTokenError {
  const isProven = scheme === 'DPoP';
  const reason = isProven
    ? 'access token was presented with the scheme DPoP but is not bound to a key'
    : 'access token is bound to a key but was not presented with the scheme DPoP';
  return new InvalidTokenError('Invalid token: access token is presented with the wrong authentication scheme').because(
    {
      reason,
      expected: isProven ? 'Bearer' : 'DPoP',
      given: scheme,
    },
  );
}

/**
 * Returns the error for a missing DPoP proof. It is `invalid_request`, because `invalid_dpop_proof` is for proofs that
 * are present but invalid. RFC 9449 §5.2
 */
const missingProof = () =>
  new InvalidRequestError('Invalid request: missing DPoP proof').because({
    reason: 'client requires DPoP-bound tokens, but the request has no DPoP proof',
  });
