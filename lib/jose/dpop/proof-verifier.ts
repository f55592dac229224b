import { type ClientRequest, stateKey } from '../../contracts/client-request.js';
import { InvalidDpopProofError, UseDpopNonceError } from '../../errors/index.js';
import type { PresentedToken } from '../../contracts/feature.js';
import type { Nonces } from './nonces.js';
import type { DpopSettings } from './options.js';
import { type ExpectedProof, type Proof, readProof, invalidProof, verifyProof } from './proof.js';
import { ProofKeys } from './proof-keys.js';
import { ProofReplayCache } from './proof-replay-cache.js';
import { acceptedUrls } from './target.js';

/** The state key under which a client request stores a DPoP proof that is verified but not yet marked as used. */
const UNUSED_PROOF = stateKey<Proof | undefined>('unused DPoP proof');

/** The verifier of DPoP proofs at the endpoints of a server and at its protected resources. RFC 9449 §4.3 */
export class ProofVerifier {
  private readonly keys = new ProofKeys();
  private readonly replayCache: ProofReplayCache;
  /**
   * The verification of the proof, by request or connection handshake. A request may be authenticated several times,
   * but its proof can be used only once.
   */
  private readonly verifications = new WeakMap<object, { text: string; done: Promise<void> }>();

  constructor(private readonly settings: DpopSettings) {
    this.replayCache = new ProofReplayCache(Math.ceil(settings.lifetime + 2 * settings.clockTolerance) + 1);
  }

  /**
   * Verifies the DPoP proof of a request to an endpoint of the server. Returns the thumbprint of its key, or
   * `undefined` if the request has no proof. Does not mark the proof as used. `consume()` does so after the request was
   * validated, so that rejected requests store nothing.
   * @param nonces The nonces of the server. If `undefined`, the proof needs no nonce.
   * @throws {InvalidDpopProofError} If the proof is invalid.
   * @throws {UseDpopNonceError} If a nonce is required, and it is missing or expired.
   */
  async verifyAtEndpoint(
    clientRequest: ClientRequest,
    endpoint: string,
    nonces: Nonces | undefined,
  ): Promise<string | undefined> {
    const { issuer, request, response, server } = clientRequest;
    const text = readProof(request);
    if (text === undefined) return undefined;
    if (nonces) response.headers['dpop-nonce'] = nonces.current();
    const ownUrls = server.urlsOf(endpoint, issuer);
    const urls = ownUrls.length > 0 ? ownUrls : acceptedUrls(request, server, [this.settings.publicUrl].flat());
    const proof = await this.verifyWithNonce(text, { request, urls }, nonces);
    clientRequest.set(UNUSED_PROOF, proof);
    return proof.jkt;
  }

  /**
   * Marks the proof of a request as used, after the request was validated. Does nothing if the request has no proof.
   * @throws {InvalidDpopProofError} If the proof was already used.
   */
  async consume(clientRequest: ClientRequest): Promise<void> {
    const proof = clientRequest.get(UNUSED_PROOF);
    clientRequest.set(UNUSED_PROOF, undefined);
    if (proof) await this.replayCache.verifyUnused(clientRequest.options.model, proof);
  }

  /**
   * Verifies the DPoP proof of a request with an access token that is bound to the key `jkt`. The proof is verified
   * only once per request or connection, even if several guards call this method.
   * @throws {InvalidDpopProofError} If the proof is missing, invalid or already used.
   */
  async verifyAtResource(presented: PresentedToken, jkt: string, nonces: Nonces | undefined): Promise<void> {
    const { request, response, value } = presented;
    if (nonces) response.headers['dpop-nonce'] = nonces.current();
    const native = request['native'] as { handshake?: object } | undefined;
    const key = native?.handshake ?? native ?? request;
    const text = `${String(request.get('dpop'))} ${value}`;
    let verification = this.verifications.get(key);
    if (verification?.text !== text)
      this.verifications.set(key, (verification = { text, done: this.verifyOnce(presented, jkt, nonces) }));
    await verification.done;
  }

  private async verifyOnce(
    { options, request, server, value }: PresentedToken,
    jkt: string,
    nonces: Nonces | undefined,
  ): Promise<void> {
    try {
      const text = readProof(request);
      if (text === undefined) throw invalidProof('the request has no HTTP header `DPoP`');
      const urls = acceptedUrls(request, server, [this.settings.publicUrl].flat());
      const expected = { request, urls, token: { value, jkt } };
      await this.replayCache.verifyUnused(options.model, await this.verifyWithNonce(text, expected, nonces));
    } catch (error) {
      const isProofError = error instanceof InvalidDpopProofError || error instanceof UseDpopNonceError;
      throw isProofError ? Object.assign(error, UNAUTHORIZED) : error;
    }
  }

  private async verifyWithNonce(text: string, expected: ExpectedProof, nonces: Nonces | undefined): Promise<Proof> {
    const proof = await verifyProof(text, expected, this.settings, this.keys);
    if (nonces && !nonces.isValid(proof.nonce)) {
      const reason = 'DPoP proof has no current nonce of this server';
      throw new UseDpopNonceError('Use DPoP nonce: send the nonce of the response header `DPoP-Nonce`').because({
        reason,
      });
    }
    return proof;
  }
}

/** The status with which a protected resource rejects a DPoP proof. RFC 9449 §7.1 */
const UNAUTHORIZED = { code: 401, status: 401, statusCode: 401 };
