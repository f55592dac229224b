import type { ClientRequest } from '../contracts/client-request.js';
import { ServerError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import { REQUIRE_AUTH_TIME } from './client-fields.js';
import { type ClientSigner, signerFor } from '../jose/encryption/client-signer.js';
import type { CoreClient, Model, User } from '../model/model.js';
import { subjectOf } from '../tokens/subject.js';
import { readSignInClaims } from '../tokens/sign-in-claims.js';
import type { Claims } from './claims.js';
import type { RequestedClaims } from './claims-parameter.js';
import type { PreparedIdToken } from './id-token.js';
import { LOGOUT } from './logout/logout-capability.js';
import type { OpenIdModel } from './openid-model.js';
import type { OpenIdSettings } from './options.js';
import type { Subjects } from './subjects.js';

/** Who is given an ID token, and for what. */
interface Recipient {
  client: CoreClient;
  user: User;
  scope?: unknown;
}

/** And how it comes to that. */
interface IssuanceContext {
  issuer: string | undefined;
  /** What features and the interaction keep of it. */
  kept: StoredData;
  nonce?: unknown;
  /** There is no access token with which the rest could be asked for. OpenID Connect Core §5.4 */
  alone?: boolean;
}

type StoredData = Readonly<Record<string, unknown>>;

/** The ID tokens of one server. OpenID Connect Core §2 */
export class IdTokens {
  constructor(
    private readonly server: ServerContext,
    private readonly parts: { settings: OpenIdSettings; claims: Claims; subjects: Subjects },
  ) {}

  /** Makes JWTs as the ID tokens of this client are made. OpenID Connect Core §10 */
  async signerFor(client: CoreClient): Promise<ClientSigner> {
    return await signerFor(client, 'id_token', this.server, this.parts.settings.alg);
  }

  /** One for a token response: all of it but what binds it to its access token. A nonce is said once. OpenID Connect Core §3.1.3.3, §12.2 */
  async prepare({ code, refreshToken, issuer, options }: ClientRequest, entitled: Recipient): Promise<PreparedIdToken> {
    const kept: StoredData = code ?? refreshToken ?? {};
    const { client, user, scope } = entitled;
    return await this.create(options.model, { client, user, scope, issuer, kept, nonce: code?.['nonce'] });
  }

  /** @throws ServerError where it cannot be made */
  async create(model: Model, entitled: Recipient & IssuanceContext): Promise<PreparedIdToken> {
    const { client, user, scope, issuer, kept, nonce, alone } = entitled;
    if (issuer === undefined) throw new ServerError('Server error: an ID token names its issuer, and there is none');
    const { settings, claims: known, subjects } = this.parts;
    const signer = await this.signerFor(client);
    const asked = kept['askedClaims'] as RequestedClaims | undefined;
    const locales = kept['claimsLocales'] as readonly string[] | undefined;
    const granted = { client, user, scope, asked, locales, alone };
    const more = await known.of(model as Model & OpenIdModel, 'id_token', granted);
    const { sid, ...how } = readSignInClaims(kept);
    const sub = subjects.of(user, client, kept);
    if (how.auth_time === undefined && REQUIRE_AUTH_TIME.of(client)) throw new ServerError(AUTH_TIME_UNKNOWN);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...more,
      iss: issuer,
      sub,
      aud: client.id,
      exp: now + settings.idTokenLifetime,
      iat: now,
      ...(nonce !== undefined && { nonce }),
      ...(kept['authReqId'] !== undefined && { [AUTH_REQ_ID]: kept['authReqId'] }),
      ...how,
      // Clients that are told when a session ends have to know which one it was.
      ...(sid !== undefined &&
        this.server.find(LOGOUT) && { sid: subjects.sessionOf({ sid, sub, userId: subjectOf(user) }) }),
    };
    return { signer, claims };
  }
}

/** Of a user who was asked elsewhere, what the client asked by. CIBA §10.3.1 */
const AUTH_REQ_ID = 'urn:openid:params:jwt:claim:auth_req_id';

const AUTH_TIME_UNKNOWN =
  'Server error: a client has registered `require_auth_time`, and nobody says when its user signed in: `howSignedIn()` does';
