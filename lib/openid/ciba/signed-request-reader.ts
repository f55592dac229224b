import { hash } from 'node:crypto';
import { ClientRequest } from '../../contracts/client-request.js';
import { InvalidRequestError, InvalidRequestObjectError, OAuthError } from '../../errors/index.js';
import { BACKCHANNEL_AUTHENTICATION_REQUEST_SIGNING_ALG } from './client-fields.js';
import { Request } from '../../http/request.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { invalidRequestObject, objectRequest } from '../../jose/request-objects/object-parameters.js';
import { ObjectVerifier } from '../../jose/request-objects/object-verifier.js';
import type { OnceModel } from '../../model/model.js';
import type { SignedSettings } from './signed-options.js';

/** What may stand beside a signed request: how its client proves who it is. CIBA §7.1.1 */
const CLIENT_PARAMETERS = new Set([
  'request',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
]);

/** Seconds for which one is remembered longer than it is good: clocks differ. */
const LEEWAY = 60;

/** Requests that come signed by their clients, as a whole. CIBA §7.1.1 */
export class SignedRequestReader {
  private readonly verifier: ObjectVerifier;

  constructor(
    private readonly settings: SignedSettings,
    fetch: SafeFetchOptions = {},
  ) {
    const alike = { byReference: false, once: true, interactionLifetime: 0, encrypted: undefined, fetch };
    this.verifier = new ObjectVerifier({ ...settings, ...alike });
  }

  /** What is asked: by what was signed, or by the form where nothing was, and nothing has to be. @throws InvalidRequestError */
  async read(clientRequest: ClientRequest): Promise<ClientRequest> {
    const { client, parameters } = clientRequest;
    if (parameters.optional('request_uri', () => true) !== undefined) {
      throw new InvalidRequestError('Invalid request: `request_uri` is not supported');
    }
    const object = parameters.optional('request');
    const alg = BACKCHANNEL_AUTHENTICATION_REQUEST_SIGNING_ALG.of(client);
    if (object === undefined && !this.settings.required && alg === undefined) return clientRequest;
    if (object === undefined) throw unsigned();
    verifyNoOtherParameters(clientRequest.request.body as object);
    try {
      const claims = await this.verify(object, alg, clientRequest);
      await this.consume(claims, clientRequest);
      return toClientRequest(clientRequest, objectRequest(claims, client.id, clientRequest.request).query);
    } catch (error) {
      throw toEndpointError(error);
    }
  }

  private async verify(
    object: string,
    alg: string | undefined,
    { client, issuer, request }: ClientRequest,
  ): Promise<Claims> {
    const signed = { clientId: client.id, issuer: issuer!, alg, request };
    const { payload, isLate } = await this.verifier.read(object, client, signed);
    if (isLate) throw invalidRequestObject('it is not over', payload.exp);
    const { exp, iat, jti } = payload;
    if (iat === undefined) throw invalidRequestObject('it has `iat`');
    if (typeof jti !== 'string' || jti === '') throw invalidRequestObject('it has a `jti`, by which it is good once');
    return { ...payload, exp: exp!, jti };
  }

  /** Rejects a replayed request by its `jti`, for each issuer and client, until clock tolerance after `exp`. CIBA §7.1.1 */
  private async consume({ exp, jti }: Claims, { client, issuer, options }: ClientRequest): Promise<void> {
    const model = options.model as unknown as OnceModel;
    const named = JSON.stringify(['backchannel authentication request', issuer, client.id, jti]);
    const digest = hash('sha256', named, 'base64url');
    const left = Math.max(0, Math.ceil(exp - Date.now() / 1000));
    if (await model.once(digest, left + this.settings.clockTolerance + LEEWAY)) return;
    throw invalidRequestObject('it is good once, by its `jti`');
  }
}

interface Claims extends Readonly<Record<string, unknown>> {
  exp: number;
  jti: string;
}

/** Nothing that was not signed counts, nor may it look as if it did. CIBA §7.1.1 */
function verifyNoOtherParameters(form: object): void {
  if (!Object.entries(form).some(([name, value]) => !CLIENT_PARAMETERS.has(name) && (value ?? '') !== '')) return;
  const reason = 'all that is asked stands in the signed request, and beside it what proves who its client is';
  throw new InvalidRequestError('Invalid request: beside `request` something else is asked').because({ reason });
}

/** Returns a client request whose form has the parameters of the signed request. */
function toClientRequest(
  { request, response, options, issuer, client, authenticationMethod: proof, server }: ClientRequest,
  body: object,
): ClientRequest {
  const { headers, method } = request;
  const said = new Request({ headers, method, query: {}, body, native: request['native'] as unknown });
  return new ClientRequest(said, response, options, issuer, client, proof, server);
}

/** Here it has no name of its own what is wrong with a request object. CIBA §13 */
function toEndpointError(error: unknown): unknown {
  if (!(error instanceof InvalidRequestObjectError)) return error;
  return new InvalidRequestError('Invalid request: the signed request is not accepted').because({
    ...OAuthError.detailOf(error)!,
  });
}

const unsigned = () =>
  new InvalidRequestError('Invalid request: it must be signed').because({
    reason: 'every authentication request, or those of this client, are signed',
  });
