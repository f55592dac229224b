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

/**
 * The parameters that may be sent together with a signed request: those that identify and authenticate the client.
 * CIBA §7.1.1
 */
const CLIENT_PARAMETERS = new Set([
  'request',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
]);

/** Additional seconds for which a used request is remembered, because the clocks of processes may differ. */
const LEEWAY = 60;

/** The reader of backchannel authentication requests that clients have signed as a whole. CIBA §7.1.1 */
export class SignedRequestReader {
  private readonly verifier: ObjectVerifier;

  constructor(
    private readonly settings: SignedSettings,
    fetch: SafeFetchOptions = {},
  ) {
    const commonSettings = { byReference: false, once: true, interactionLifetime: 0, encrypted: undefined, fetch };
    this.verifier = new ObjectVerifier({ ...settings, ...commonSettings });
  }

  /**
   * Returns the client request with the parameters of the signed request. Returns it unchanged if the request is
   * unsigned and need not be signed.
   * @throws {InvalidRequestError} If the signed request is invalid, or is missing although it is required.
   */
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
    if (isLate) throw invalidRequestObject('signed request has expired', payload.exp);
    const { exp, iat, jti } = payload;
    if (iat === undefined) throw invalidRequestObject('signed request has no `iat`');
    if (typeof jti !== 'string' || jti === '') throw invalidRequestObject('signed request has no `jti`');
    return { ...payload, exp: exp!, jti };
  }

  /**
   * Marks a signed request as used by its `jti`, separately for each issuer and client. The `jti` is remembered until
   * the request has expired. CIBA §7.1.1
   * @throws {InvalidRequestObjectError} If the request was used before.
   */
  private async consume({ exp, jti }: Claims, { client, issuer, options }: ClientRequest): Promise<void> {
    const model = options.model as unknown as OnceModel;
    const replayKey = JSON.stringify(['backchannel authentication request', issuer, client.id, jti]);
    const digest = hash('sha256', replayKey, 'base64url');
    const secondsLeft = Math.max(0, Math.ceil(exp - Date.now() / 1000));
    if (await model.once(digest, secondsLeft + this.settings.clockTolerance + LEEWAY)) return;
    throw invalidRequestObject('signed request was already used');
  }
}

interface Claims extends Readonly<Record<string, unknown>> {
  exp: number;
  jti: string;
}

/**
 * Verifies that no unsigned request parameters are sent together with a signed request. CIBA §7.1.1
 * @throws {InvalidRequestError} If there are any.
 */
function verifyNoOtherParameters(form: object): void {
  if (!Object.entries(form).some(([name, value]) => !CLIENT_PARAMETERS.has(name) && (value ?? '') !== '')) return;
  const reason = 'request parameters were sent outside the signed request';
  throw new InvalidRequestError(
    'Invalid request: no other request parameters may be sent together with `request`',
  ).because({ reason });
}

/** Returns a copy of the client request with the parameters of the signed request. */
function toClientRequest(
  { request, response, options, issuer, client, authenticationMethod: proof, server }: ClientRequest,
  body: object,
): ClientRequest {
  const { headers, method } = request;
  const signedRequest = new Request({ headers, method, query: {}, body, native: request['native'] as unknown });
  return new ClientRequest(signedRequest, response, options, issuer, client, proof, server);
}

/** Converts `invalid_request_object`, which CIBA does not define, into `invalid_request`. CIBA §13 */
function toEndpointError(error: unknown): unknown {
  if (!(error instanceof InvalidRequestObjectError)) return error;
  return new InvalidRequestError('Invalid request: the signed request is not accepted').because({
    ...OAuthError.detailOf(error)!,
  });
}

const unsigned = () =>
  new InvalidRequestError('Invalid request: the request must be signed').because({
    reason: 'request is not signed, but the server or the client requires it',
  });
