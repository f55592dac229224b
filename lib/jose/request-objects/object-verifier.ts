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

/**
 * Maximum number of characters of a request object. It exceeds the usual limit of a URL, and requests need far less.
 */
export const MAX_OBJECT_LENGTH = 16_384;

/** Additional seconds for which a used request object is remembered, because the clocks of processes may differ. */
const LEEWAY = 600;
const DAY = 86_400;

/** Verifies that a request object was signed by the client, is for this server and has not expired. RFC 9101 §6 */
export class ObjectVerifier {
  private readonly keys: ClientKeys;

  constructor(private readonly settings: RequestObjectSettings) {
    this.keys = new ClientKeys(settings.fetch);
  }

  /**
   * Verifies a request object, after decryption if it is encrypted, and returns its claims.
   * @throws {InvalidRequestObjectError} If the request object is invalid.
   */
  async verify(
    object: string,
    client: CoreClient,
    clientId: string,
    { request, server }: RequestContext,
  ): Promise<JWTPayload> {
    verifyLength(object);
    // Do not decrypt anything from a client without keys: it cannot have signed the content.
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

  /**
   * Returns a function that marks a request object as used. Returns `undefined` if the option `once` is not set, since
   * request objects may then be used several times. RFC 9101 §10.2
   * @throws {InvalidRequestObjectError} If the request object must be single-use, but has no `jti`.
   */
  prepareConsumption({ jti, exp }: JWTPayload, client: CoreClient, { options: { model, issuer } }: ServerContext) {
    if (!this.settings.once || !hasOnce(model)) return undefined;
    if (typeof jti !== 'string' || jti === '')
      throw invalidRequestObject('request object must be single-use, but has no `jti`');
    const digest = hash('sha256', JSON.stringify(['request object', issuer, client.id, jti]), 'base64url');
    return () => model.once(digest, this.secondsFor(exp!));
  }

  /**
   * Verifies a signed request object, except its expiry, and returns its claims. `isLate` is `true` if it has expired.
   * @throws {InvalidRequestObjectError} If the request object is invalid for another reason.
   */
  async read(
    object: string,
    client: CoreClient,
    signed: ExpectedObject,
  ): Promise<{ payload: JWTPayload; isLate: boolean }> {
    verifyLength(object);
    const verified = await this.verifySignature(object, client, signed);
    this.verifyTimes(verified.payload);
    return verified;
  }

  private keysOf(client: CoreClient, request: Request): PublicKeys {
    const keys = this.keys.of(client, request);
    if (!keys) throw invalidRequestObject('client has neither `jwks` nor `jwksUri`');
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
      // Only the expiry is wrong. A request that was opened in time may be decided after its expiry.
      if (error instanceof errors.JWTExpired && error.claim === 'exp' && error.reason === 'check_failed') {
        return { payload: error.payload, isLate: true };
      }
      throw toObjectError(error);
    }
  }

  /**
   * Verifies that `iat` is not in the future and, if `maxLifetime` is set, limits the time between `nbf` and `exp`. For
   * an unexpired request object, this also limits the age of `nbf`. FAPI 2.0 Message Signing §5.3.1
   * @throws {InvalidRequestObjectError} If a claim is missing or out of range.
   */
  private verifyTimes({ exp, iat, nbf }: JWTPayload): void {
    const { clockTolerance, maxLifetime } = this.settings;
    if (iat !== undefined && !(iat <= Date.now() / 1000 + clockTolerance))
      throw invalidRequestObject('`iat` of the request object is in the future', iat);
    if (maxLifetime === undefined) return;
    if (nbf === undefined || exp === undefined) throw invalidRequestObject('request object has no `nbf` or no `exp`');
    if (exp > nbf + maxLifetime)
      throw invalidRequestObject(
        `\`exp\` of the request object is more than ${maxLifetime} seconds after \`nbf\``,
        exp - nbf,
      );
  }

  /**
   * Verifies that a request object was first used before its expiry. It may be used again for a while after that, for
   * example after the login.
   * @throws {InvalidRequestObjectError} If the request object has expired.
   */
  private async verifyOpenedInTime(
    object: string,
    exp: number,
    isLate: boolean,
    { options }: ServerContext,
  ): Promise<void> {
    const { model } = options;
    const expired = () => invalidRequestObject('request object has expired', exp);
    const secondsLeft = exp + this.settings.interactionLifetime - Date.now() / 1000;
    if (secondsLeft <= 0) throw expired();
    if (!hasOnce(model)) {
      if (isLate) throw expired();
      return;
    }
    // Limit the time, because the client may have chosen an `exp` in the far future.
    const until = Math.min(exp, Date.now() / 1000 + DAY);
    const isFirst = await model.once(hash('sha256', `opened ${object}`, 'base64url'), this.secondsFor(until));
    if (isFirst && isLate) throw expired();
  }

  private secondsFor(exp: number): number {
    return Math.ceil(exp - Date.now() / 1000) + this.settings.interactionLifetime + LEEWAY;
  }
}

/**
 * What a request object must match: the client that signed it, its audience, and its signature algorithm. If `alg` is
 * `undefined`, any accepted algorithm is valid.
 */
interface ExpectedObject {
  clientId: string;
  issuer: string;
  alg: string | undefined;
  /**
   * The request that contains or references the request object. The number of simultaneous fetches of keys is limited
   * per client network.
   */
  request: Request;
}

interface RequestContext {
  request: Request;
  server: ServerContext;
}

function verifyLength({ length }: string): void {
  if (length > MAX_OBJECT_LENGTH)
    throw invalidRequestObject(`request object is longer than ${MAX_OBJECT_LENGTH} characters`, length);
}

/**
 * Verifies the `typ` header, if there is one, since other JWTs of the client are not request objects. RFC 9101 §10.8
 * @throws {InvalidRequestObjectError} If `typ` is that of another kind of JWT.
 */
function verifyType(typ: string | undefined): void {
  if (typ === undefined || /^(?:application\/)?(?:oauth-authz-req\+)?jwt$/i.test(typ)) return;
  throw invalidRequestObject('`typ` is not that of a request object', typ);
}

/**
 * Converts an error of the verification into the error for the client. If the client's keys temporarily cannot be
 * fetched, the result is not an error of the client.
 */
function toObjectError(error: unknown): Error {
  if (isVerificationError(error))
    return invalidRequestObject('request object has an invalid signature, or its claims are invalid', error.message);
  return fetchFailure(error, 'The keys of a client', (given) =>
    invalidRequestObject('keys of the client could not be fetched', given),
  );
}
