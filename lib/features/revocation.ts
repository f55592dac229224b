import { BackChannelEndpoint } from '../endpoints/back-channel-endpoint.js';
import type { ClientRequest } from '../contracts/client-request.js';
import { UnsupportedTokenTypeError } from '../errors/index.js';
import { hasListener, reportEvent } from '../events/events.js';
import type { Feature, ServerContext } from '../contracts/feature.js';
import { verifyOwner } from '../endpoints/token/replay.js';
import type { Awaitable, Model, Token } from '../model/model.js';
import { notifyTokensRevoked } from '../tokens/revoked-tokens.js';
import { TOKEN_NAMES, findToken, type StoredToken, tokenKindsByHint } from '../tokens/find-token.js';
import { TOKEN_PARAMETERS } from './token-parameters.js';
import { findUnknownOption } from '../options/unknown-option.js';

/** Ends access tokens one by one. */
export interface RevocationModel {
  /**
   * Ends an access token, as it was found: from then on `getAccessToken()` does not find it. Its refresh token, and all other
   * tokens, stay as they are. A second call does nothing. RFC 7009 §2.1
   */
  revokeAccessToken(token: Token): Awaitable<unknown>;
}

/** What `revocation()` takes. */
export interface RevocationOptions {
  /**
   * Does a revoked access token take its grant along, with the refresh token and all others that came of it? Default: false,
   * it ends alone. For models with `revokeGrant`. RFC 7009 §2.1
   */
  accessTokenEndsGrant?: boolean;
}

/** Clients say which tokens they need no more: a user signs out, an application is removed. RFC 7009 */
export function revocation(options: RevocationOptions = {}): Feature {
  return {
    id: 'revocation',
    specification: 'RFC 7009',
    endpoints: {
      revocation: {
        path: 'oauth/revoke',
        methods: ['POST'],
        metadata: 'revocation_endpoint',
        clients: 'all',
        description: { summary: 'Ends a token. RFC 7009', required: ['token'], response: {} },
        cors: true,
        make: (server) => new RevocationEndpoint(server, options),
      },
    },
    parameters: { revocation: TOKEN_PARAMETERS },
    install: () => ({ misconfigurations: ({ options: { model } }) => configurationErrors(model, options) }),
  };
}

type AnyModel = Model & Partial<RevocationModel>;

function configurationErrors(model: AnyModel, options: RevocationOptions): string[] {
  const fault = findUnknownOption(options, { accessTokenEndsGrant: true }, '`revocation()`');
  if (fault !== undefined) return [fault];
  const { accessTokenEndsGrant = false } = options;
  if (accessTokenEndsGrant && !model.revokeGrant) {
    return ['`accessTokenEndsGrant` of `revocation()` needs a model that implements `revokeGrant()`'];
  }
  const refresh = model.getRefreshToken && (model.revokeGrant ?? model.revokeToken);
  const access = model.getAccessToken && (model.revokeAccessToken ?? accessTokenEndsGrant);
  if (refresh || access) return [];
  return [
    '`revocation()` needs a model that finds and ends tokens: `getRefreshToken()` with `revokeGrant()` or `revokeToken()`, or `getAccessToken()` with `revokeAccessToken()`',
  ];
}

/** What was ended. */
interface Revoked extends Pick<Token, 'user' | 'grantId'> {
  what: 'access token' | 'refresh token' | 'grant';
}

class RevocationEndpoint extends BackChannelEndpoint<Revoked | undefined> {
  protected readonly id = 'revocation';
  private readonly model: AnyModel = this.options.model;

  constructor(
    server: ServerContext,
    private readonly revocationOptions: RevocationOptions,
  ) {
    super(server.options, server);
  }

  protected async serve({ client, issuer, parameters }: ClientRequest): Promise<Revoked | undefined> {
    const value = parameters.required('token');
    const hint = parameters.optional('token_type_hint', () => true);
    for (const kind of tokenKindsByHint(hint)) {
      const found = await findToken(kind, value, { model: this.model, issuer });
      if (!found) continue;
      verifyOwner(found.token, client, TOKEN_NAMES[kind]);
      return await this.revoke(found);
    }
    // Nothing is what the client wanted there to be. RFC 7009 §2.2
    return undefined;
  }

  /** An empty object: some clients read whatever comes as JSON. */
  protected bodyOf(): object {
    return {};
  }

  protected override reportDone({ client, issuer }: ClientRequest, revoked: Revoked | undefined): void {
    const { events } = this.options;
    if (!revoked) return;
    const { what, user, grantId } = revoked;
    const facts = { endpoint: this.id, issuer, clientId: client.id, userId: user['id'], grantId };
    if (hasListener(events, 'token.revoked')) reportEvent(events, 'token.revoked', { ...facts, kind: what });
    if (what !== 'grant' || !hasListener(events, 'grant.ended')) return;
    reportEvent(events, 'grant.ended', { ...facts, reason: 'revoked' });
  }

  private async revoke({ kind, token }: StoredToken): Promise<Revoked | undefined> {
    const { model } = this;
    const { user, grantId } = token;
    const endsGrant = kind === 'refresh_token' || this.revocationOptions.accessTokenEndsGrant === true;
    if (endsGrant && model.revokeGrant && grantId !== undefined) {
      // A spent one too: a client that lost its answer and signs its user out has no other.
      await model.revokeGrant(grantId);
      notifyTokensRevoked({ grantId });
      return { what: 'grant', user, grantId };
    }
    if (kind === 'refresh_token') {
      const ended = !token.revokedAt && (await model.revokeToken?.(token));
      return ended ? { what: 'refresh token', user, grantId } : undefined;
    }
    if (!model.revokeAccessToken) throw unsupported();
    await model.revokeAccessToken(token);
    notifyTokensRevoked({ accessToken: token.accessToken });
    return { what: 'access token', user, grantId };
  }
}

function unsupported(): UnsupportedTokenTypeError {
  const reason = 'the model ends access tokens, by `revokeAccessToken()`';
  return new UnsupportedTokenTypeError('Unsupported token type: access tokens end by themselves').because({ reason });
}
