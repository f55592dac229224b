import { DPOP_BOUND_ACCESS_TOKENS } from '../../clients/registration/client-fields.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import { InvalidGrantError, InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import type { Feature } from '../../contracts/feature.js';
import { jktOf, verifyAnswer } from '../../tokens/confirmation.js';
import { type DpopOptions, type DpopSettings, faultOf, faultsOf, settle } from './options.js';
import { refused } from './proof.js';
import { Proofs } from './proofs.js';
import { configurationError } from '../../errors/configuration-error.js';

/** The feature, with what it takes, for a profile to judge. */
export interface DpopFeature extends Feature {
  readonly proofs: Pick<DpopSettings, 'clockTolerance'>;
}

/**
 * Tokens are bound to a key of the client, which proves with each request that it has it: whoever steals a token cannot use it.
 * It stands at the authorization server and at its APIs, whatever their model is. Codes are kept with `dpopJkt`, tokens with
 * `cnf`. RFC 9449
 * @throws InvalidArgumentError with a sentence for an option that cannot work
 */
export function dpop(options: DpopOptions = {}): DpopFeature {
  const fault = faultOf(options);
  if (fault !== undefined) throw configurationError(fault);
  const settings = settle(options);
  const proofs = new Proofs(settings, options.nonce);
  return {
    name: 'RFC 9449',
    factory: 'dpop',
    proofs: settings,
    confirms: ['jkt'],
    schemes: { DPoP: { algs: settings.algorithms.join(' ') } },
    parameters: { authorize: { dpop_jkt: 'The thumbprint of the key that the code will be brought with.' } },
    check: (server) => [...faultsOf(settings, server)],
    metadata: () => ({ dpop_signing_alg_values_supported: settings.algorithms }),

    ask(parameters, { client, responseType }) {
      if (DPOP_BOUND_ACCESS_TOKENS.of(client) && responseType.split(' ').includes('token')) {
        const rule = 'tokens of this client are bound to a key, which nobody shows at the authorization endpoint';
        throw new InvalidRequestError('Invalid request: the token would not be bound to a key').because({ rule });
      }
      const dpopJkt = parameters.optional('dpop_jkt', (text) => /^[\w-]{43}$/.test(text));
      return dpopJkt === undefined ? undefined : { dpopJkt };
    },

    async push(exchange, parameters) {
      const jkt = await proofs.keyOf(exchange, 'pushed_authorization_request');
      if (jkt === undefined) return;
      const named = parameters['dpop_jkt'];
      if (named !== undefined && named !== jkt) throw refused('it is by the key that `dpop_jkt` names');
      parameters['dpop_jkt'] = jkt;
      await proofs.spend(exchange);
    },

    async admit(exchange) {
      const { client, token } = exchange;
      const jkt = await proofs.keyOf(exchange, 'token');
      if (jkt !== undefined) token['cnf'] = { ...(token['cnf'] as object | undefined), jkt };
      else if (DPOP_BOUND_ACCESS_TOKENS.of(client)) throw missing();
    },

    async issue(exchange) {
      verifyKey(exchange);
      await proofs.spend(exchange);
    },

    async respond(exchange, issued) {
      // A retry that is answered by what was issued before, or no access token at all, has come past `issue`.
      await proofs.spend(exchange);
      verifyAnswer(exchange, issued, 'jkt');
      if (jktOf(issued) !== undefined) exchange.answer['token_type'] = 'DPoP';
    },

    async present(presented) {
      const { token, scheme } = presented;
      const jkt = jktOf(token);
      if ((scheme === 'DPoP') === (jkt === undefined)) throw misused(scheme);
      if (jkt !== undefined) await proofs.verify(presented, jkt);
    },
  };
}

/** A code, and the refresh token of a client that has no other proof, are good with their own key alone. RFC 9449 §5, §10 */
function verifyKey({ code, proof, refreshToken, token }: ClientRequest): void {
  const wanted: unknown = code?.['dpopJkt'] ?? (proof === 'none' ? jktOf(refreshToken) : undefined);
  const given = jktOf(token);
  if (wanted === undefined || wanted === given) return;
  const what = code ? 'authorization code' : 'refresh token';
  const detail = { rule: `the ${what} is brought with the key that it is bound to`, wanted, given };
  throw new InvalidGrantError(`Invalid grant: ${what} is bound to a key`).because(detail);
}

/** A token is no better for what it is called: a bound one needs its proof, and any other has none. RFC 9449 §7.1, §7.2 */
function misused(scheme: string): InvalidTokenError {
  const isProven = scheme === 'DPoP';
  const rule = isProven
    ? 'a token that is presented by DPoP is bound to a key'
    : 'a token that is bound to a key is presented by DPoP';
  return new InvalidTokenError('Invalid token: access token is presented by another scheme than its own').because({
    rule,
    wanted: isProven ? 'Bearer' : 'DPoP',
    given: scheme,
  });
}

/** A proof that is not there is not a bad one: the request is not whole. RFC 9449 §5.2 */
const missing = () =>
  new InvalidRequestError('Invalid request: missing DPoP proof').because({
    rule: 'the client shows the key that its tokens are bound to',
  });
