import {
  Body,
  Controller,
  Get,
  Inject,
  type INestApplication,
  type ModuleMetadata,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { OAuth2Module, type OAuth2ModuleOptions, OAuth2Server, OAuthGuard, Scopes } from 'nest-oauth2';
import type { FeatureList } from 'nest-oauth2/server';
import {
  deviceAuthorization,
  introspection,
  pushedRequests,
  registration,
  type RegistrationOptions,
  type ResourceIndicatorOptions,
  resourceIndicators,
  revocation,
  serverMetadata,
} from 'nest-oauth2/features';
import {
  dpop,
  keys,
  privateKeyJwt,
  type PrivateKeyJwtOptions,
  type RequestObjectOptions,
  requestObjects,
} from 'nest-oauth2/jose';
import { openid } from 'nest-oauth2/openid';
import { html, page, pages, type PagesOptions, sendPage } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { SECRET } from '../support/servers/demo.js';
import { EC, RSA } from '../support/servers/openid-server.js';

export const ISSUER = 'https://id.example.com';
export const SIGN_IN = { username: 'alice', password: 'wonderland' };

const alice = { id: 'alice', username: 'alice', name: 'Alice' };

/** The users of the application. Passwords are not hashed, so that the tests are fast. */
const users = {
  findById: (id: string) => id === alice.id && alice,
  findByCredentials: (name: string, password: string) => name === 'alice' && password === 'wonderland' && alice,
};

/** The store of the application, with the claims of its users. */
export class WeakStore extends MemoryStore {
  constructor() {
    super({ users });
  }

  getClaims = () => ({ name: 'Alice' });
}

@Controller('notes')
@UseGuards(OAuthGuard)
export class NotesController {
  @Get()
  @Scopes('notes:read')
  list() {
    return { notes: [] };
  }
}

/** A fault of an application, and how to cause it. */
export interface Fault {
  /** Changes methods of the model. */
  model?: (store: WeakStore) => void;
  options?: Partial<OAuth2ModuleOptions>;
  pages?: PagesOptions;
  /** Changes the application before it listens. */
  prepare?: (app: INestApplication) => unknown;
  /** Options of features. */
  features?: {
    privateKeyJwt?: PrivateKeyJwtOptions;
    requestObjects?: RequestObjectOptions;
    registration?: Partial<RegistrationOptions>;
    resources?: ResourceIndicatorOptions;
    /** Further features. */
    more?: FeatureList;
  };
  /** Whether the settings page verifies no CSRF token. */
  hasOpenForm?: boolean;
  /** Headers of the settings page. */
  headers?: Readonly<Record<string, string>>;
  controllers?: NonNullable<ModuleMetadata['controllers']>;
}

/** A native reply of Express or Fastify. */
type Reply = Parameters<typeof sendPage>[0] & { header(name: string, value: string): unknown };

/** Returns the module of an application with all features that the lab attacks, and with one fault. */
export function weakModule(fault: Fault = {}): ModuleMetadata {
  const model = new WeakStore();
  fault.model?.(model);
  const site = pages({ devices: true, ...fault.pages });

  /** A page of the application with a form that is protected by a token. */
  @Controller('settings')
  class SettingsController {
    constructor(@Inject(OAuth2Server) private readonly server: OAuth2Server) {}

    @Get()
    async show(@Req() request: unknown, @Res() reply: Reply) {
      const user = await site.findUser(request, this.server);
      const token = `token of ${user?.['id'] as string}`;
      const main = html`<form method="post" action="/settings">
        <input type="hidden" name="token" value="${token}" /><input name="name" /><button>Save</button>
      </form>`;
      const shown = page({ title: 'Settings', main });
      sendPage(reply, { ...shown, headers: { ...shown.headers, ...fault.headers } });
    }

    @Post()
    async save(@Body() form: Record<string, string>, @Req() request: unknown, @Res() reply: Reply) {
      const user = await site.findUser(request, this.server);
      const isSafe = fault.hasOpenForm || form['token'] === `token of ${user?.['id'] as string}`;
      const main = isSafe ? 'Saved.' : 'This form has expired.';
      sendPage(reply, { ...page({ title: 'Settings', main }), status: isSafe ? 200 : 403 });
    }
  }

  return {
    imports: [
      OAuth2Module.forRoot({
        model,
        secret: SECRET,
        issuer: ISSUER,
        ...fault.options,
        features: [
          site,
          serverMetadata({ scopes: ['notes:read', 'notes:write'] }),
          revocation(),
          introspection(),
          resourceIndicators({
            own: [`${ISSUER}/notes`],
            resources: ['https://api.example.com'],
            ...fault.features?.resources,
          }),
          pushedRequests(),
          deviceAuthorization(),
          keys({ from: [RSA, EC] }),
          openid(),
          dpop(),
          privateKeyJwt(fault.features?.privateKeyJwt),
          requestObjects(fault.features?.requestObjects),
          registration({ open: true, scopes: ['notes:read'], rate: false, ...fault.features?.registration }),
          ...(fault.features?.more ?? []),
        ],
      }),
    ],
    controllers: [...(fault.controllers ?? [NotesController]), SettingsController],
  };
}
