import { Inject, Injectable, Module } from '@nestjs/common';
import { type AuthorizationCode, InjectOAuth2Model, type Model, OAuth2Server } from 'nest-oauth2';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { DemoInteraction, demoStore } from '../servers/demo.js';

/** An injectable service of the application, used by its model and interaction. */
@Injectable()
export class Database {
  readonly store = demoStore();
}

@Module({ providers: [Database], exports: [Database] })
export class DatabaseModule {}

/** A model class with an injected dependency. */
@Injectable()
export class InjectedModel {
  constructor(@Inject(Database) readonly database: Database) {}

  getClient(id: string, secret: string | null) {
    return this.database.store.getClient(id, secret);
  }

  getUserFromClient() {
    return { id: 'host' };
  }

  saveToken(token: object, client: object, user: object) {
    return { ...token, client, user } as never;
  }

  saveAuthorizationCode(...[code, client, user]: Parameters<MemoryStore['saveAuthorizationCode']>) {
    return this.database.store.saveAuthorizationCode(code, client, user);
  }

  getAuthorizationCode(code: string) {
    return this.database.store.getAuthorizationCode(code);
  }

  revokeAuthorizationCode(code: AuthorizationCode) {
    return this.database.store.revokeAuthorizationCode(code);
  }
}

@Injectable()
export class InjectedInteraction extends DemoInteraction {
  constructor(
    @Inject(Database) readonly database: Database,
    @InjectOAuth2Model() readonly model: Model,
    @Inject(OAuth2Server) readonly server: OAuth2Server,
  ) {
    super();
  }
}
