import { capability } from '../contracts/capability.js';
import type { ServerContext } from '../contracts/feature.js';
import { SIGNED_RESPONSE_ALG, signerFor } from '../jose/encryption/client-signer.js';
import { encryptionFor } from '../jose/encryption/find-encryption.js';
import { findKeys } from '../jose/keys/find-keys.js';
import type { CoreClient, Model, Token, User } from '../model/model.js';
import { Claims, claimsOfFeatures } from './claims.js';
import type { RequestedClaims } from './claims-parameter.js';
import { decryptHint, readIdTokenHint } from './id-token-hint.js';
import { IdTokens } from './id-tokens.js';
import type { IdTokenHint, OpenIdProvider } from './openid-capability.js';
import type { OpenIdModel } from './openid-model.js';
import type { OpenIdSettings } from './options.js';
import { claimsOfScopes } from './scopes.js';
import { Subjects } from './subjects.js';

/** The OpenID provider of one server. OpenID Connect Core §1.2 */
export class Provider implements OpenIdProvider {
  readonly acrValues: readonly string[];
  readonly idTokens: IdTokens;
  private readonly subjects: Subjects;
  private readonly claims: Claims;

  constructor(
    private readonly server: ServerContext,
    private readonly settings: OpenIdSettings,
  ) {
    this.acrValues = settings.acrValues;
    this.claims = new Claims(claimsOfScopes(settings.scopes), settings);
    this.subjects = new Subjects(settings.pairwise, server);
    this.idTokens = new IdTokens(server, { settings, claims: this.claims, subjects: this.subjects });
  }

  subjectOf(user: User, client: CoreClient, issued?: object): string {
    return this.subjects.of(user, client, issued);
  }

  isKnownAs(user: User, client: CoreClient, sub: string): boolean {
    return this.subjects.isKnownAs(user, client, sub);
  }

  sessionOf(session: { sid: string; sub: string; userId: string | undefined }): string {
    return this.subjects.sessionOf(session);
  }

  async readHint(hint: string, issuer: string | undefined, client?: CoreClient): Promise<IdTokenHint | undefined> {
    const ring = findKeys(this.server)!;
    const signed = this.settings.encryptedHints ? await decryptHint(ring, hint, client) : hint;
    return signed === undefined ? undefined : await readIdTokenHint(ring, signed, issuer);
  }

  async signFor(client: CoreClient, { typ, claims }: { typ: string; claims: object }): Promise<string> {
    const signer = await this.idTokens.signerFor(client);
    return await signer.sign({ typ }, claims);
  }

  /** Returns the claims about the user of a token that its client may receive. OpenID Connect Core §5.3.2 */
  async userinfo(token: Token): Promise<Record<string, unknown>> {
    const { client, user, scope, askedClaims, claimsLocales } = token;
    const model = this.server.options.model as Model & OpenIdModel;
    const requestedClaims = askedClaims as RequestedClaims | undefined;
    const locales = claimsLocales as readonly string[] | undefined;
    const claims = await this.claims.of(model, 'userinfo', { client, user, scope, requestedClaims, locales });
    return { ...claims, ...claimsOfFeatures(this.server, token), sub: this.subjects.of(user, client, token) };
  }

  /**
   * Returns a userinfo response as a JWT that is signed, encrypted or both, as the client has registered. Returns
   * `undefined` if it has registered neither. OpenID Connect Core §5.3.2
   */
  async userinfoJwt(client: CoreClient, claims: object, issuer: string | undefined): Promise<string | undefined> {
    const allClaims = { ...claims, iss: issuer, aud: client.id };
    if (SIGNED_RESPONSE_ALG.userinfo.of(client) === undefined) {
      const encrypt = await encryptionFor(client, 'userinfo', this.server);
      return await encrypt?.(JSON.stringify(allClaims), 'claims');
    }
    const signer = await signerFor(client, 'userinfo', this.server, undefined);
    return await signer.sign({ typ: 'JWT' }, allClaims);
  }
}

/** The capability key under which `openid()` provides the OpenID provider to its own endpoints. */
export const PROVIDER = capability<Provider>('openid provider', 'openid');
