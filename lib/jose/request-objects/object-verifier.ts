import { hash } from 'node:crypto';
import { decodeProtectedHeader, errors, type JWTPayload } from 'jose';
import type { ServerContext } from '../../contracts/feature.js';
import { REQUEST_OBJECT_SIGNING_ALG } from './client-fields.js';
import type { Request } from '../../http/request.js';
import { hasOnce } from '../../model/has-once.js';
import type { CoreClient } from '../../model/model.js';
import { fetchFailure } from '../../remote/fetch-failure.js';
import { ClientKeys } from '../client-keys/client-keys.js';
import type { PublicKeys } from '../client-keys/public-keys.js';
import { isVerificationError } from '../verification-error.js';
import { verifyJwt } from '../verify-jwt.js';
import { decryptIfEncrypted } from './encrypted-objects.js';
import { invalidRequestObject } from './object-parameters.js';
import type { RequestObjectSettings } from './options.js';

/** Characters of a request object that are looked at: more than a URL may have, and many times what a request needs. */
export const MAX_OBJECT_LENGTH = 16_384;

/** Seconds for which something is remembered longer than it is good: clocks differ. */
const LEEWAY = 600;
const DAY = 86_400;

/** Finds out whether a request object is of its client, for this server, and of now. RFC 9101 §6 */
export class ObjectVerifier {
  private readonly keys: ClientKeys;

  constructor(private readonly settings: RequestObjectSettings) {
    this.keys = new ClientKeys(settings.fetch);
  }

  /** @returns what it says @throws InvalidRequestObjectError */
  async verify(
    object: string,
    client: CoreClient,
    clientId: string,
    { request, server }: RequestContext,
  ): Promise<JWTPayload> {
    verifyLength(object);
    // Nothing is decrypted of a client without keys: it could not have signed what is within.
    this.keysOf(client, request);
    const signed = await decryptIfEncrypted(object, client, { server, settings: this.settings.encrypted });
    const alg = REQUEST_OBJECT_SIGNING_ALG.of(client);
    const { payload, isLate } = await this.read(signed, client, {
      clientId,
      alg,
      issuer: server.issuerOf(request)!,
      request,
    });
    if (payload.exp !== undefined) await this.verifyOpenedInTime(signed, payload.exp, isLate, server);
    return payload;
  }

  /** Spends it, where it is good for one decision. RFC 9101 §10.2 */
  prepareConsumption({ jti, exp }: JWTPayload, client: CoreClient, { options: { model, issuer } }: ServerContext) {
    if (!this.settings.once || !hasOnce(model)) return undefined;
    if (typeof jti !== 'string' || jti === '') throw invalidRequestObject('it has a `jti`, by which it is good once');
    const digest = hash('sha256', JSON.stringify(['request object', issuer, client.id, jti]), 'base64url');
    return () => model.once(digest, this.secondsFor(exp!));
  }

  /**
   * What it says, signed by its client for this server: it is of the past, `isLate`, or of now.
   * @throws InvalidRequestObjectError
   */
  async read(
    object: string,
    client: CoreClient,
    signed: ExpectedObject,
  ): Promise<{ payload: JWTPayload; isLate: boolean }> {
    verifyLength(object);
    const found = await this.verifySignature(object, client, signed);
    this.verifyTimes(found.payload);
    return found;
  }

  private keysOf(client: CoreClient, request: Request): PublicKeys {
    const keys = this.keys.of(client, request);
    if (!keys) throw invalidRequestObject('its client has keys, by `jwks` or `jwksUri`');
    return keys;
  }

  private async verifySignature(
    object: string,
    client: CoreClient,
    { alg, clientId, issuer, request }: ExpectedObject,
  ) {
    const { algorithms, clockTolerance } = this.settings;
    const keys = this.keysOf(client, request);
    const allowed = algorithms.filter((one) => alg === undefined || one === alg);
    const checks = { algorithms: allowed, clockTolerance, issuer: clientId, audience: issuer };
    try {
      verifyType(decodeProtectedHeader(object).typ);
      return { payload: (await verifyJwt(object, keys.find, checks)).payload, isLate: false };
    } catch (error) {
      // All else is good by then: what came in time may be decided a while later.
      if (error instanceof errors.JWTExpired && error.claim === 'exp' && error.reason === 'check_failed') {
        return { payload: error.payload, isLate: true };
      }
      throw toObjectError(error);
    }
  }

  /** What lives so long at most after its `nbf`, and is not over, is no older either. FAPI 2.0 Message Signing §5.3.1 */
  private verifyTimes({ exp, iat, nbf }: JWTPayload): void {
    const { clockTolerance, maxLifetime } = this.settings;
    if (iat !== undefined && !(iat <= Date.now() / 1000 + clockTolerance))
      throw invalidRequestObject('it is not from the future', iat);
    if (maxLifetime === undefined) return;
    if (nbf === undefined || exp === undefined) throw invalidRequestObject('it has `nbf` and `exp`');
    if (exp > nbf + maxLifetime) throw invalidRequestObject(`it lives for ${maxLifetime} seconds at most`, exp - nbf);
  }

  /** The first visit must come in time; whoever came in time may come again, as after the login. */
  private async verifyOpenedInTime(
    object: string,
    exp: number,
    isLate: boolean,
    { options }: ServerContext,
  ): Promise<void> {
    const { model } = options;
    const over = () => invalidRequestObject('it is not over', exp);
    const left = exp + this.settings.interactionLifetime - Date.now() / 1000;
    if (left <= 0) throw over();
    if (!hasOnce(model)) {
      if (isLate) throw over();
      return;
    }
    // Its client may have said that it is good for ever.
    const until = Math.min(exp, Date.now() / 1000 + DAY);
    const isFirst = await model.once(hash('sha256', `opened ${object}`, 'base64url'), this.secondsFor(until));
    if (isFirst && isLate) throw over();
  }

  private secondsFor(exp: number): number {
    return Math.ceil(exp - Date.now() / 1000) + this.settings.interactionLifetime + LEEWAY;
  }
}

/** The expected signer, audience and signature algorithm of a request object. If `alg` is undefined, any allowed one is accepted. */
interface ExpectedObject {
  clientId: string;
  issuer: string;
  alg: string | undefined;
  /** The request that contains or references the request object. Its network limits simultaneous fetches of keys. */
  request: Request;
}

interface RequestContext {
  request: Request;
  server: ServerContext;
}

function verifyLength({ length }: string): void {
  if (length > MAX_OBJECT_LENGTH) throw invalidRequestObject(`it has ${MAX_OBJECT_LENGTH} characters at most`, length);
}

/** Said by those who say it: other JWTs of the client are no requests. RFC 9101 §10.8 */
function verifyType(typ: string | undefined): void {
  if (typ === undefined || /^(?:application\/)?(?:oauth-authz-req\+)?jwt$/i.test(typ)) return;
  throw invalidRequestObject('its `typ` is that of a request object', typ);
}

/** What is wrong with it is the fault of its client; that its keys cannot be had now may be nobody's. */
function toObjectError(error: unknown): Error {
  if (isVerificationError(error))
    return invalidRequestObject('it is signed by a key of its client, for this server, and now', error.message);
  return fetchFailure(error, 'The keys of a client', (given) =>
    invalidRequestObject('the keys of its client can be fetched', given),
  );
}
