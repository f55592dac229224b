import type { ServerFacts } from '../feature.js';
import type { SigningAlgorithm } from '../jose/algorithms.js';
import type { KeyRing } from '../jose/keys/key-ring.js';
import type { Client, Model, Token } from '../model/model.js';
import { Claims } from './claims.js';
import type { AskedClaims } from './claims-parameter.js';
import { signingKeyFor } from './id-token.js';
import { type EncryptionFor, IdTokens } from './id-tokens.js';
import type { OpenIdModel } from './openid-model.js';
import type { OpenIdSettings } from './options.js';
import { registered } from '../features/client-metadata/registered.js';
import { claimsOfScopes } from './scopes.js';
import { Subjects } from './subjects.js';

/** What other features of the server have to do with it. */
interface Circumstances {
  encryptionFor: EncryptionFor;
  /** Are clients told when a session ends, so that they have to know which one it was? */
  namesSessions: boolean;
}

/** What a server is to the applications at which its users sign in. OpenID Connect Core §1.2 */
export class Provider {
  readonly subjects: Subjects;
  readonly idTokens: IdTokens;
  private readonly claims: Claims;

  constructor(
    readonly ring: KeyRing,
    private readonly settings: OpenIdSettings,
    private readonly more: Circumstances,
  ) {
    this.claims = new Claims(claimsOfScopes(settings.scopes), settings);
    this.subjects = new Subjects(settings.pairwise);
    this.idTokens = new IdTokens(ring, { settings, claims: this.claims, subjects: this.subjects, ...more });
  }

  /** Makes a JWT for a client as its ID tokens are made: signed, and encrypted. Back-Channel Logout §2.4 */
  async signFor(client: Client, { typ, claims }: { typ: string; claims: object }): Promise<string> {
    const encrypt = await this.more.encryptionFor(client, 'id_token');
    const alg = (registered(client, 'idTokenSignedResponseAlg') ?? this.settings.alg) as SigningAlgorithm;
    const signed = await (await signingKeyFor(this.ring, alg)).sign({ typ }, claims);
    return encrypt ? await encrypt(signed, 'JWT') : signed;
  }

  /** What the client of a token may know of its user. OpenID Connect Core §5.3.2 */
  async userinfo({ client, user, scope, askedClaims }: Token, server: ServerFacts): Promise<Record<string, unknown>> {
    const model = server.options.model as Model & OpenIdModel;
    const asked = askedClaims as AskedClaims | undefined;
    const claims = await this.claims.of(model, 'userinfo', { client, user, scope, asked });
    return { ...claims, sub: this.subjects.of(user, client) };
  }

  /** The same as a JWT, for a client that has registered it: signed, encrypted, or both; undefined: it has not. OpenID Connect Core §5.3.2 */
  async sealUserinfo(client: Client, claims: object, issuer: string | undefined): Promise<string | undefined> {
    const encrypt = await this.more.encryptionFor(client, 'userinfo');
    const alg = registered(client, 'userinfoSignedResponseAlg');
    const whole = { ...claims, iss: issuer, aud: client.id };
    if (alg === undefined) return await encrypt?.(JSON.stringify(whole), 'claims');
    const key = await signingKeyFor(this.ring, alg as SigningAlgorithm);
    const signed = await key.sign({ typ: 'JWT' }, whole);
    return encrypt ? await encrypt(signed, 'JWT') : signed;
  }
}
