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
import { type OptionRows, optionTable } from '../options/option-table.js';
import { FLAG } from '../options/value-checks.js';

/** A model that can revoke single access tokens. */
export interface RevocationModel {
  /**
   * Revokes an access token that the model has returned, so that `getAccessToken()` no longer finds it. Its refresh
   * token and all other tokens remain valid. A second call has no effect. RFC 7009 §2.1
   */
  revokeAccessToken(token: Token): Awaitable<unknown>;
}

/** The options of `revocation()`. */
export interface RevocationOptions {
  /**
   * Whether revoking an access token also revokes its grant: the refresh token and all other tokens of the same
   * authorization. Requires a model with `revokeGrant()`. If `false`, only the access token is revoked. Default:
   * `false`. RFC 7009 §2.1
   */
  accessTokenEndsGrant?: boolean;
}

/**
 * Adds the revocation endpoint, at which clients revoke tokens that they no longer need, for example when the user
 * signs out. RFC 7009
 */
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
        description: { summary: 'Revokes a token. RFC 7009', required: ['token'], response: {} },
        cors: true,
        make: (server) => new RevocationEndpoint(server, options),
      },
    },
    parameters: { revocation: TOKEN_PARAMETERS },
    install: () => ({ misconfigurations: ({ options: { model } }) => configurationErrors(model, options) }),
  };
}

const OPTIONS = optionTable('`revocation()`', {
  accessTokenEndsGrant: { check: FLAG, default: false },
} satisfies OptionRows<RevocationOptions>);

type AnyModel = Model & Partial<RevocationModel>;

function configurationErrors(model: AnyModel, options: RevocationOptions): string[] {
  const errors = [...OPTIONS.findErrors(options)];
  if (errors.length > 0) return errors;
  const { accessTokenEndsGrant } = OPTIONS.settle(options);
  if (accessTokenEndsGrant && !model.revokeGrant) {
    return ['`accessTokenEndsGrant` of `revocation()` requires a model with `revokeGrant()`'];
  }
  const refresh = model.getRefreshToken && (model.revokeGrant ?? model.revokeToken);
  const access = model.getAccessToken && (model.revokeAccessToken ?? accessTokenEndsGrant);
  if (refresh || access) return [];
  return [
    '`revocation()` requires a model that can find and revoke tokens: `getRefreshToken()` with `revokeGrant()` or `revokeToken()`, or `getAccessToken()` with `revokeAccessToken()`',
  ];
}

/** The token or grant that was revoked, with its user, for events. */
interface Revoked extends Pick<Token, 'user' | 'grantId'> {
  kind: 'access token' | 'refresh token' | 'grant';
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
      const stored = await findToken(kind, value, { model: this.model, issuer });
      if (!stored) continue;
      verifyOwner(stored.token, client, TOKEN_NAMES[kind]);
      return await this.revoke(stored);
    }
    // An unknown token needs no revocation, so the response is a success. RFC 7009 §2.2
    return undefined;
  }

  /** Returns an empty object, since some clients parse every response body as JSON. */
  protected bodyOf(): object {
    return {};
  }

  protected override reportDone({ client, issuer }: ClientRequest, revoked: Revoked | undefined): void {
    const { events } = this.options;
    if (!revoked) return;
    const { kind: what, user, grantId } = revoked;
    const details = { endpoint: this.id, issuer, clientId: client.id, userId: user['id'], grantId };
    if (hasListener(events, 'token.revoked')) reportEvent(events, 'token.revoked', { ...details, kind: what });
    if (what !== 'grant' || !hasListener(events, 'grant.ended')) return;
    reportEvent(events, 'grant.ended', { ...details, reason: 'revoked' });
  }

  private async revoke({ kind, token }: StoredToken): Promise<Revoked | undefined> {
    const { model } = this;
    const { user, grantId } = token;
    const endsGrant = kind === 'refresh_token' || this.revocationOptions.accessTokenEndsGrant === true;
    if (endsGrant && model.revokeGrant && grantId !== undefined) {
      // Revoke the grant even for a used refresh token: a client that lost the last response has no newer one.
      await model.revokeGrant(grantId);
      notifyTokensRevoked({ grantId });
      return { kind: 'grant', user, grantId };
    }
    if (kind === 'refresh_token') {
      const ended = !token.revokedAt && (await model.revokeToken?.(token));
      return ended ? { kind: 'refresh token', user, grantId } : undefined;
    }
    if (!model.revokeAccessToken) throw unsupported();
    await model.revokeAccessToken(token);
    notifyTokensRevoked({ accessToken: token.accessToken });
    return { kind: 'access token', user, grantId };
  }
}

function unsupported(): UnsupportedTokenTypeError {
  const reason = 'the model cannot revoke access tokens: it does not implement `revokeAccessToken()`';
  return new UnsupportedTokenTypeError(
    'Unsupported token type: access tokens cannot be revoked, they only expire',
  ).because({ reason });
}
