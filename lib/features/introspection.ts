import { INTROSPECTION, TOKEN_PARAMETERS } from './token-parameters.js';
import { isClientItself } from '../tokens/client-subject.js';
import { BackChannelEndpoint } from '../endpoints/back-channel-endpoint.js';
import type { ClientRequest } from '../contracts/client-request.js';
import { ServerError } from '../errors/index.js';
import { hasListener, reportEvent } from '../events/events.js';
import type { Feature } from '../contracts/feature.js';
import { isPersonalToken, PERSONAL_TOKEN_SOURCE, PERSONAL_TOKEN_USE } from '../endpoints/resource/personal-tokens.js';
import type { Awaitable, Client, CoreClient, Falsy, Model, RefreshToken, Token } from '../model/model.js';
import { audienceOf, isAmong } from '../tokens/audience.js';
import { TOKEN_NAMES, findToken, type StoredToken, tokenKindsByHint } from '../tokens/find-token.js';
import { grantSpan } from '../tokens/grant-lifetime.js';
import { jktOf } from '../tokens/confirmation.js';
import { isExpired } from '../tokens/lifetime.js';
import { scopeText } from '../tokens/scope.js';
import { SUBJECT_IDENTIFIERS } from './subject-identifiers.js';
import { withSubjects } from './token-exchange/actors.js';
import { INTROSPECTION_WRITER, type Introspection, SIGNED_INTROSPECTION_TYPE } from './introspection-response.js';
import { standardMembers, seconds } from './introspection-members.js';

/** A model that decides which clients may introspect a token. */
export interface IntrospectionModel<C extends Client = Client> {
  /**
   * Decides whether the authenticated client may introspect this token. If omitted, a client may introspect its own
   * tokens, and access tokens for one of its `resources`. RFC 7662 §2.1, §4
   * @param token The token as the model returned it. A refresh token is a `RefreshToken`, without `accessToken`. A
   * personal access token has no `client`.
   */
  mayIntrospect?(client: C, token: Token<C> | RefreshToken<C>): Awaitable<boolean | Falsy>;
}

/**
 * Adds the introspection endpoint, at which resource servers query whether a token is active. Tokens that are issued
 * from now on are saved with their time of issue, `iat`, in seconds. RFC 7662
 */
export function introspection(): Feature {
  return {
    id: 'introspection',
    specification: 'RFC 7662',
    requires: ['getAccessToken'],
    endpoints: {
      introspection: {
        path: 'oauth/introspect',
        methods: ['POST'],
        metadata: 'introspection_endpoint',
        clients: 'confidential',
        description: INTROSPECTION,
        make: (server) => new IntrospectionEndpoint(server.options, server),
      },
    },
    parameters: { introspection: TOKEN_PARAMETERS },
    install: () => ({ token: { issue: ({ tokenMembers: token }) => void (token['iat'] = seconds(Date.now())) } }),
  };
}

/** Returns the ID of the client of a token. `undefined` for a personal access token. */
const clientIdOf = ({ client }: StoredToken['token']): string | undefined => (client as CoreClient | undefined)?.id;

class IntrospectionEndpoint extends BackChannelEndpoint<Introspection> {
  protected readonly id = 'introspection';
  /**
   * Client authentication is required: otherwise a client that found a token could query its metadata. RFC 7662 §2.1
   */
  protected override readonly clientAuthentication = 'required';
  private readonly model: Model & IntrospectionModel = this.options.model;
  private readonly subjects = this.server.find(SUBJECT_IDENTIFIERS);
  private readonly personalTokens = this.server.find(PERSONAL_TOKEN_SOURCE);
  private readonly writer = this.server.find(INTROSPECTION_WRITER);
  private readonly signedTexts = new WeakMap<Introspection, string>();

  protected async serve(clientRequest: ClientRequest): Promise<Introspection> {
    const stored = await this.find(clientRequest);
    const body = stored ? this.describe(stored, clientRequest.issuer) : { active: false };
    if (stored) this.replaceSubjects(body, stored, clientRequest.client);
    if (this.options.events) this.reportIntrospection(clientRequest, body.active, stored?.token);
    const text = await this.writer?.write(body, clientRequest);
    if (text !== undefined) this.signedTexts.set(body, text);
    return body;
  }

  private async find({ client, issuer, parameters }: ClientRequest): Promise<StoredToken | undefined> {
    const value = parameters.required('token');
    const hint = parameters.optional('token_type_hint', () => true);
    if (this.personalTokens?.matches(value)) {
      const token = await this.personalTokens.find(value);
      const personal = token && !isExpired(token.accessTokenExpiresAt) && ({ kind: 'access_token', token } as const);
      if (personal && (await this.isPermitted(client, personal))) return personal;
    }
    // Search all kinds of tokens even for an unauthorized client, so that timing does not reveal whether a token
    // exists. RFC 7662 §4
    for (const kind of tokenKindsByHint(hint)) {
      const stored = await findToken(kind, value, { model: this.model, issuer });
      if (stored && this.isActive(stored) && (await this.isPermitted(client, stored))) return stored;
    }
    return undefined;
  }

  protected bodyOf(body: Introspection, { response }: ClientRequest): object | string {
    const text = this.signedTexts.get(body);
    if (text === undefined) return body;
    response.headers['content-type'] = SIGNED_INTROSPECTION_TYPE;
    return text;
  }

  private reportIntrospection(
    { client, issuer }: ClientRequest,
    active: boolean,
    token: StoredToken['token'] | undefined,
  ): void {
    const { events } = this.options;
    if (!hasListener(events, 'token.introspected')) return;
    const { client: issuedTo, user, scope, grantId } = token ?? {};
    const subject = { issuedTo: issuedTo?.id, userId: user?.['id'], scope: scopeText(scope), grantId };
    reportEvent(events, 'token.introspected', { endpoint: this.id, issuer, clientId: client.id, active, ...subject });
  }

  private isActive({ kind, token }: StoredToken): boolean {
    if (!token.client || !token.user) {
      throw new ServerError(
        `Server error: \`${TOKEN_NAMES[kind].finder}()\` did not return a \`client\` and a \`user\``,
      );
    }
    if (kind === 'access_token') return true;
    const span = token.grantedAt && grantSpan(this.options, token.grantedAt);
    return !token.revokedAt && !(span && isExpired(span.end));
  }

  /**
   * Whether the client may introspect the token. `mayIntrospect()` of the model decides. Without this method, a client
   * may introspect its own tokens, and access tokens for the `resources` that it represents.
   */
  private async isPermitted(client: CoreClient, { kind, token }: StoredToken): Promise<boolean> {
    const { model } = this;
    if (model.mayIntrospect) return Boolean(await model.mayIntrospect(client, token));
    const id = clientIdOf(token);
    if (id !== undefined && id !== null && id === client.id) return true;
    const resources: unknown = client.resources;
    if (kind !== 'access_token' || !Array.isArray(resources)) return false;
    return audienceOf(token['resource']).some((uri) => isAmong(uri, resources as string[]));
  }

  /**
   * Replaces user IDs in a response by the subject identifiers that the client knows. It does so only if the token was
   * issued to the client that introspects it. OpenID Connect Core 1.0 §8.1
   */
  private replaceSubjects(body: Introspection, { token }: StoredToken, asking: CoreClient): void {
    const { client, user } = token;
    if (!this.subjects || clientIdOf(token) !== asking.id) return;
    const nameOf = (id: string) => this.subjects!.subjectOf({ id }, client, token);
    for (const member of ['act', 'may_act']) if (member in body) body[member] = withSubjects(body[member], nameOf);
    if (isClientItself(user)) return;
    const sub = this.subjects.subjectOf(user, client, token);
    if (sub === body['sub']) return;
    body['sub'] = sub;
    delete body['username'];
  }

  private describe(stored: StoredToken, issuer: string | undefined): Introspection {
    const { kind, token } = stored;
    const body: Introspection = { active: true };
    // `token_use` is not standardized. It keeps resource servers from taking one kind of token for another.
    if (kind === 'access_token') body['token_type'] = jktOf(token) === undefined ? 'Bearer' : 'DPoP';
    else body['token_use'] = 'refresh_token';
    if (isPersonalToken(token as Token)) body['token_use'] = PERSONAL_TOKEN_USE;
    for (const describe of this.server.hooks.token.describe) Object.assign(body, describe(token as Token));
    for (const [name, value] of Object.entries(standardMembers(stored, issuer)))
      if (value !== undefined) body[name] = value;
    body.active = true;
    return body;
  }
}
