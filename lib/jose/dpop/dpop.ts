import { DPOP_BOUND_ACCESS_TOKENS } from '../../clients/registration/client-fields.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidGrantError, InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import type { Feature } from '../../contracts/feature.js';
import type { AuthorizationHooks, TokenHooks } from '../../contracts/hooks.js';
import { jktOf, verifyRetryBinding } from '../../tokens/confirmation.js';
import { CLOCK_TOLERANCES } from '../clock-tolerances.js';
import { type DpopOptions, findOptionError, findConfigurationErrors, settle } from './options.js';
import { invalidProof } from './proof.js';
import { ProofVerifier } from './proof-verifier.js';
import { configurationError } from '../../errors/configuration-error.js';

/**
 * Tokens are bound to a key of the client, which proves with each request that it has it: whoever steals a token cannot use it.
 * It stands at the authorization server and at its APIs, whatever their model is. Codes are kept with `dpopJkt`, tokens with
 * `cnf`. RFC 9449
 * @throws InvalidArgumentError with a sentence for an option that cannot work
 */
export function dpop(options: DpopOptions = {}): Feature {
  const fault = findOptionError(options);
  if (fault !== undefined) throw configurationError(fault);
  const settings = settle(options);
  // Servers that share the feature share the cache: one request that two of them authenticate has one proof.
  const proofs = new ProofVerifier(settings, options.nonce);
  return {
    id: 'dpop',
    specification: 'RFC 9449',
    parameters: { authorize: { dpop_jkt: 'The thumbprint of the key that the code will be brought with.' } },

    install(builder) {
      builder.contribute(CLOCK_TOLERANCES, { feature: '`dpop()`', seconds: settings.clockTolerance });
      return {
        confirmationMethods: ['jkt'],
        tokenSchemes: { DPoP: { algs: settings.algorithms.join(' ') } },
        authorization: { read: readThumbprint },
        pushedRequest: { complete: (request, parameters) => completePushed(request, parameters, proofs) },
        token: tokenHooks(proofs),
        resource: {
          async verify(presented) {
            const { token, scheme } = presented;
            const jkt = jktOf(token);
            if ((scheme === 'DPoP') === (jkt === undefined)) throw schemeMismatch(scheme);
            if (jkt !== undefined) await proofs.verifyAtResource(presented, jkt);
          },
        },
        metadata: () => ({ dpop_signing_alg_values_supported: settings.algorithms }),
        misconfigurations: (server) => findConfigurationErrors(settings, server),
      };
    },
  };
}

/** Reads `dpop_jkt`, which binds the code to a key. RFC 9449 §10 */
const readThumbprint: NonNullable<AuthorizationHooks['read']> = (parameters, { client, responseType }) => {
  if (DPOP_BOUND_ACCESS_TOKENS.of(client) && responseType.split(' ').includes('token')) {
    const reason = 'tokens of this client are bound to a key, which nobody shows at the authorization endpoint';
    throw new InvalidRequestError('Invalid request: the token would not be bound to a key').because({ reason });
  }
  const dpopJkt = parameters.optional('dpop_jkt', (text) => /^[\w-]{43}$/.test(text));
  return dpopJkt === undefined ? undefined : { dpopJkt };
};

/** Binds the code of a pushed request to the key of its proof. RFC 9449 §10.1 */
async function completePushed(
  request: ClientRequest,
  parameters: Record<string, string | readonly string[]>,
  proofs: ProofVerifier,
): Promise<void> {
  const jkt = await proofs.verifyAtEndpoint(request, 'pushed_authorization_request');
  if (jkt === undefined) return;
  const named = parameters['dpop_jkt'];
  if (named !== undefined && named !== jkt) throw invalidProof('it is by the key that `dpop_jkt` names');
  parameters['dpop_jkt'] = jkt;
  await proofs.consume(request);
}

/** Binds tokens to the key of the proof. RFC 9449 §5 */
const tokenHooks = (proofs: ProofVerifier): TokenHooks => ({
  async admit(request) {
    const { client, tokenMembers: token } = request;
    const jkt = await proofs.verifyAtEndpoint(request, 'token');
    if (jkt !== undefined) token['cnf'] = { ...(token['cnf'] as object | undefined), jkt };
    else if (DPOP_BOUND_ACCESS_TOKENS.of(client)) throw missingProof();
  },

  async issue(request) {
    verifyBoundKey(request);
    await proofs.consume(request);
  },

  async respond(request, issued) {
    // A repeated request is answered with the earlier response, and other responses have no access token: neither runs `issue`.
    await proofs.consume(request);
    verifyRetryBinding(request, issued, 'jkt');
    if (jktOf(issued) !== undefined) request.responseMembers['token_type'] = 'DPoP';
  },
});

/** A code, and the refresh token of a client that has no other proof, are good with their own key alone. RFC 9449 §5, §10 */
function verifyBoundKey({ code, authenticationMethod: proof, refreshToken, tokenMembers: token }: ClientRequest): void {
  const wanted: unknown = code?.['dpopJkt'] ?? (proof === 'none' ? jktOf(refreshToken) : undefined);
  const given = jktOf(token);
  if (wanted === undefined || wanted === given) return;
  const what = code ? 'authorization code' : 'refresh token';
  const detail = { reason: `the ${what} is brought with the key that it is bound to`, expected: wanted, given };
  throw new InvalidGrantError(`Invalid grant: ${what} is bound to a key`).because(detail);
}

/** A token is no better for what it is called: a bound one needs its proof, and any other has none. RFC 9449 §7.1, §7.2 */
function schemeMismatch(scheme: string): InvalidTokenError {
  const isProven = scheme === 'DPoP';
  const reason = isProven
    ? 'a token that is presented by DPoP is bound to a key'
    : 'a token that is bound to a key is presented by DPoP';
  return new InvalidTokenError('Invalid token: access token is presented by another scheme than its own').because({
    reason,
    expected: isProven ? 'Bearer' : 'DPoP',
    given: scheme,
  });
}

/** A proof that is not there is not a bad one: the request is not whole. RFC 9449 §5.2 */
const missingProof = () =>
  new InvalidRequestError('Invalid request: missing DPoP proof').because({
    reason: 'the client shows the key that its tokens are bound to',
  });
