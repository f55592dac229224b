import type { ClientRequest } from '../contracts/client-request.js';
import { ServerError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import { REQUIRE_AUTH_TIME } from './client-fields.js';
import { type ClientSigner, signerFor } from '../jose/encryption/client-signer.js';
import type { CoreClient, Model, User } from '../model/model.js';
import { subjectOf } from '../tokens/subject.js';
import { readSignInClaims } from '../tokens/sign-in-claims.js';
import { type Claims, claimsOfFeatures } from './claims.js';
import type { RequestedClaims } from './claims-parameter.js';
import type { PreparedIdToken } from './id-token.js';
import { LOGOUT } from './logout/logout-capability.js';
import type { OpenIdModel } from './openid-model.js';
import type { OpenIdSettings } from './options.js';
import type { Subjects } from './subjects.js';

/** The client and the user of an ID token, and the granted scope. */
interface Recipient {
  client: CoreClient;
  user: User;
  scope?: unknown;
}

/** The data with which an ID token is created. */
interface IssuanceContext {
  issuer: string | undefined;
  /** The data that features and the interaction have stored with the code or refresh token. */
  stored: StoredData;
  nonce?: unknown;
  /**
   * Whether no access token is issued. The ID token then contains all claims, because the client cannot call the
   * userinfo endpoint. OpenID Connect Core §5.4
   */
  hasNoAccessToken?: boolean;
}

type StoredData = Readonly<Record<string, unknown>>;

/** The creator of the ID tokens of one server. OpenID Connect Core §2 */
export class IdTokens {
  constructor(
    private readonly server: ServerContext,
    private readonly parts: { settings: OpenIdSettings; claims: Claims; subjects: Subjects },
  ) {}

  /** Returns the signer of ID tokens for a client. OpenID Connect Core §10 */
  async signerFor(client: CoreClient): Promise<ClientSigner> {
    return await signerFor(client, 'id_token', this.server, this.parts.settings.alg);
  }

  /**
   * Prepares the ID token of a token response, except the hash of its access token. Only the first ID token for a code
   * contains the nonce. OpenID Connect Core §3.1.3.3, §12.2
   */
  async prepare(
    { code, refreshToken, issuer, options }: ClientRequest,
    recipient: Recipient,
  ): Promise<PreparedIdToken> {
    const stored: StoredData = code ?? refreshToken ?? {};
    const { client, user, scope } = recipient;
    return await this.create(options.model, { client, user, scope, issuer, stored, nonce: code?.['nonce'] });
  }

  /**
   * Creates an ID token that is ready to be signed.
   * @throws {ServerError} If it cannot be created.
   */
  async create(model: Model, recipient: Recipient & IssuanceContext): Promise<PreparedIdToken> {
    const { client, user, scope, issuer, stored, nonce, hasNoAccessToken } = recipient;
    if (issuer === undefined)
      throw new ServerError('Server error: cannot issue an ID token, because the option `issuer` is not set');
    const { settings, claims: claimsSource, subjects } = this.parts;
    const signer = await this.signerFor(client);
    const requestedClaims = stored['askedClaims'] as RequestedClaims | undefined;
    const locales = stored['claimsLocales'] as readonly string[] | undefined;
    const context = { client, user, scope, requestedClaims, locales, hasNoAccessToken };
    const modelClaims = await claimsSource.of(model as Model & OpenIdModel, 'id_token', context);
    const { sid, ...signInClaims } = readSignInClaims(stored);
    const sub = subjects.of(user, client, stored);
    if (signInClaims.auth_time === undefined && REQUIRE_AUTH_TIME.of(client)) throw new ServerError(AUTH_TIME_UNKNOWN);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...modelClaims,
      ...claimsOfFeatures(this.server, stored),
      iss: issuer,
      sub,
      aud: client.id,
      exp: now + settings.idTokenLifetime,
      iat: now,
      ...(nonce !== undefined && { nonce }),
      ...(stored['authReqId'] !== undefined && { [AUTH_REQ_ID]: stored['authReqId'] }),
      ...signInClaims,
      // Clients that are notified of a logout need the ID of the session.
      ...(sid !== undefined &&
        this.server.find(LOGOUT) && { sid: subjects.sessionOf({ sid, sub, userId: subjectOf(user, client) }) }),
    };
    return { signer, claims };
  }
}

/** The claim with the `auth_req_id` of a backchannel authentication. CIBA §10.3.1 */
const AUTH_REQ_ID = 'urn:openid:params:jwt:claim:auth_req_id';

const AUTH_TIME_UNKNOWN =
  'Server error: the client has registered `require_auth_time`, but the time of the login is unknown. Return `authTime` from `howSignedIn()`';
