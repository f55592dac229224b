import { type ClientRequest, stateKey } from '../../contracts/client-request.js';
import { InvalidDpopProofError, UseDpopNonceError } from '../../errors/index.js';
import type { PresentedToken } from '../../contracts/feature.js';
import { Nonces } from './nonces.js';
import type { DpopNonceOptions, DpopSettings } from './options.js';
import { type ExpectedProof, type Proof, readProof, invalidProof, verifyProof } from './proof.js';
import { ProofReplayCache } from './proof-replay-cache.js';
import { acceptedUrls } from './target.js';

/** The proof of a request that was verified, and is not marked as used yet. */
const UNUSED_PROOF = stateKey<Proof | undefined>('unused DPoP proof');

/** The proofs that come to a server and its resources. RFC 9449 §4.3 */
export class ProofVerifier {
  private readonly nonces: Nonces | undefined;
  private readonly replayCache: ProofReplayCache;
  /** What was shown with a request, or when a connection was opened: one request may be looked at several times. */
  private readonly verifications = new WeakMap<object, { text: string; done: Promise<void> }>();

  constructor(
    private readonly settings: DpopSettings,
    nonce: DpopNonceOptions | undefined,
  ) {
    this.nonces = nonce && new Nonces(nonce);
    this.replayCache = new ProofReplayCache(Math.ceil(settings.lifetime + 2 * settings.clockTolerance) + 1);
  }

  /**
   * The key that a client proves to have at an endpoint of the server; undefined: it says nothing of one. The proof is not spent: who
   * names a client without a secret has shown nothing yet, and anybody can make proofs.
   */
  async verifyAtEndpoint(clientRequest: ClientRequest, endpoint: string): Promise<string | undefined> {
    const { issuer, request, response, server } = clientRequest;
    const text = readProof(request);
    if (text === undefined) return undefined;
    if (this.nonces) response.headers['dpop-nonce'] = this.nonces.current();
    const own = server.urlsOf(endpoint, issuer);
    const urls = own.length > 0 ? own : acceptedUrls(request, server, this.settings.publicUrls);
    const proof = await this.verifyWithNonce(text, { request, urls });
    clientRequest.set(UNUSED_PROOF, proof);
    return proof.jkt;
  }

  /** Spends the proof of a request that is good so far, if it brought one. @throws InvalidDpopProofError where it came before */
  async consume(clientRequest: ClientRequest): Promise<void> {
    const proof = clientRequest.get(UNUSED_PROOF);
    clientRequest.set(UNUSED_PROOF, undefined);
    if (proof) await this.replayCache.verifyUnused(clientRequest.options.model, proof);
  }

  /** Verifies the proof that comes with a token which is bound to a key. */
  async verifyAtResource(presented: PresentedToken, jkt: string): Promise<void> {
    const { request, response, value } = presented;
    if (this.nonces) response.headers['dpop-nonce'] = this.nonces.current();
    const native = request['native'] as { handshake?: object } | undefined;
    const key = native?.handshake ?? native ?? request;
    const text = `${String(request.get('dpop'))} ${value}`;
    let shown = this.verifications.get(key);
    if (shown?.text !== text) this.verifications.set(key, (shown = { text, done: this.verifyOnce(presented, jkt) }));
    await shown.done;
  }

  private async verifyOnce({ options, request, server, value }: PresentedToken, jkt: string): Promise<void> {
    try {
      const text = readProof(request);
      if (text === undefined) throw invalidProof('a request over HTTP brings it in the header `DPoP`');
      const urls = acceptedUrls(request, server, this.settings.publicUrls);
      const expected = { request, urls, token: { value, jkt } };
      await this.replayCache.verifyUnused(options.model, await this.verifyWithNonce(text, expected));
    } catch (error) {
      const isOfProof = error instanceof InvalidDpopProofError || error instanceof UseDpopNonceError;
      throw isOfProof ? Object.assign(error, UNAUTHORIZED) : error;
    }
  }

  private async verifyWithNonce(text: string, expected: ExpectedProof): Promise<Proof> {
    const proof = await verifyProof(text, expected, this.settings);
    if (this.nonces && !this.nonces.isValid(proof.nonce)) {
      const reason = 'the proof has a nonce that was given here a moment ago';
      throw new UseDpopNonceError('Use DPoP nonce: the one in the header `DPoP-Nonce`').because({ reason });
    }
    return proof;
  }
}

/** The status where a resource refuses. RFC 9449 §7.1 */
const UNAUTHORIZED = { code: 401, status: 401, statusCode: 401 };
