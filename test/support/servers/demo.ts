import { Controller, Get, Injectable, type ModuleMetadata, Post, UseGuards } from '@nestjs/common';
import {
  AccessToken,
  type ConsentContext,
  CurrentUser,
  type InteractionResponse,
  type InteractionContext,
  type OAuth2Interaction,
  OAuth2Module,
  type OAuth2ModuleOptions,
  OAuthGuard,
  Scopes,
  type SignIn,
  type Token,
} from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';

export const SECRET = 'a secret of at least thirty-two characters';
export const CALLBACK = 'https://app.example/callback';

/** The parameters of an authorization request of the confidential client `web`. */
export const AUTHORIZATION_PARAMETERS = {
  response_type: 'code',
  client_id: 'web',
  scope: 'notes:read',
  state: 'xyz',
  redirect_uri: CALLBACK,
};

const clients = [
  {
    id: 'web',
    secret: 'web-secret',
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'password'],
    redirectUris: [CALLBACK],
    scopes: ['notes:read', 'notes:write'],
    defaultScope: ['notes:read', 'notes:write'],
  },
  {
    id: 'spa',
    tokenEndpointAuthMethod: 'none',
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: [CALLBACK],
    scopes: ['notes:read'],
  },
  {
    id: 'several',
    secret: 'several-secret',
    grants: ['authorization_code'],
    redirectUris: [CALLBACK, `${CALLBACK}/other`],
    scopes: ['notes:read'],
  },
  {
    id: 'hasty',
    secret: 'hasty-secret',
    grants: ['client_credentials'],
    scopes: ['notes:read'],
    accessTokenLifetime: 1,
  },
];

const alice = { id: 'alice', name: 'Alice' };
const bob = { id: 'bob', name: 'Bob' };
const users = [alice, bob];

/**
 * Returns a store with two users and four clients. One client is public, and one has access tokens that expire after
 * one second.
 */
export function demoStore(): MemoryStore {
  return new MemoryStore({
    clients,
    users: {
      findById: (id) => users.find((user) => user.id === id),
      findByCredentials: (name, password) => users.find((user) => user.id === name && password === 'wonderland'),
    },
  });
}

/** An interaction that signs in the user named in the cookie `user`. It stores consents in memory. */
@Injectable()
export class DemoInteraction implements OAuth2Interaction<typeof alice> {
  readonly consents = new Set<string>();
  contexts: InteractionContext[] = [];

  findUser(context: InteractionContext) {
    this.contexts.push(context);
    const { cookie = '' } = (context.request as { headers: { cookie?: string } }).headers;
    return users.find(({ id }) => cookie === `user=${id}`);
  }

  login({ returnTo }: InteractionContext): InteractionResponse {
    return { redirect: `/login?return_to=${encodeURIComponent(returnTo)}` };
  }

  /** Reports an empty authentication state. `openid()` requires this method. */
  howSignedIn(): SignIn {
    return {};
  }

  hasConsented(user: typeof alice, { authorization }: InteractionContext) {
    return this.consents.has(`${user.id} ${authorization.client.id} ${authorization.grantableScope}`);
  }

  /** Returns the consent page as JSON instead of an HTML form, so that tests can parse it. */
  consent(user: typeof alice, { action, csrfToken, authorization }: ConsentContext): InteractionResponse {
    const { client, grantableScope: scope } = authorization;
    return { html: JSON.stringify({ user: user.id, client: client.id, scope, action, csrf_token: csrfToken }) };
  }

  saveConsent(user: typeof alice, { authorization }: InteractionContext) {
    this.consents.add(`${user.id} ${authorization.client.id} ${authorization.grantableScope}`);
  }
}

@Controller('notes')
@UseGuards(OAuthGuard)
export class NotesController {
  @Get()
  @Scopes('notes:read')
  list(@CurrentUser('id', { optional: true }) user: string | undefined, @AccessToken() token: Token) {
    return { user, client: token.client.id };
  }

  @Post()
  @Scopes('notes:write')
  write(@CurrentUser() user: object) {
    return { user };
  }

  @Get('mine')
  mine(@CurrentUser('id') user: string) {
    return { user };
  }
}

/** Returns the metadata of a module with login, consent and a guarded API. */
export function demoModule(options: Partial<OAuth2ModuleOptions> = {}): ModuleMetadata {
  const { interaction, secret } =
    'authenticateHandler' in options ? {} : { interaction: DemoInteraction, secret: SECRET };
  return {
    imports: [OAuth2Module.forRoot({ model: demoStore(), interaction, secret, ...options })],
    controllers: [NotesController],
  };
}
