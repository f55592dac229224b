import { Injectable, Module, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import {
  getOAuth2ClientsToken,
  InjectOAuth2Clients,
  OAuth2Clients,
  type OAuth2Event,
  type OAuth2EventName,
  OAuth2Module,
  OnOAuth2Event,
} from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const users = { findByCredentials: () => undefined, findById: () => undefined };
const storeWith = (id: string) => new MemoryStore({ clients: [{ id, grants: ['password'] }], users });
const idsOf = async (clients: OAuth2Clients) => (await clients.list()).clients.map(({ id }) => id);

@Injectable()
class Admin {
  constructor(
    readonly own: OAuth2Clients,
    @InjectOAuth2Clients('partners') readonly partners: OAuth2Clients,
    @InjectOAuth2Clients() readonly same: OAuth2Clients,
  ) {}
}
// TypeScript emits this metadata for decorators. The test sets it itself.
Reflect.defineMetadata('design:paramtypes', [OAuth2Clients, Object, Object], Admin);

@Injectable({ scope: Scope.REQUEST })
class PerRequest extends MemoryStore {
  constructor() {
    super({ clients: [{ id: 'request', grants: [] }], users });
  }
}

describe('OAuth2Clients, the injectable administration of clients,', () => {
  it('is available for each server, by class or by server name', async () => {
    @Module({
      imports: [
        OAuth2Module.forRoot({ model: storeWith('own') }),
        OAuth2Module.forRootAsync({
          name: 'partners',
          paths: { prefix: 'partners' },
          useFactory: () => ({ model: storeWith('partner') }),
        }),
      ],
      providers: [Admin],
    })
    class Host {}
    const app = await Test.createTestingModule({ imports: [Host] }).compile();
    const { own, partners, same } = app.get(Admin);
    expect(own).toBeInstanceOf(OAuth2Clients);
    expect(same).toBe(own);
    expect(await Promise.all([own, partners].map(idsOf))).toEqual([['own'], ['partner']]);
    expect(app.get(getOAuth2ClientsToken(), { strict: false })).toBe(own);
    expect(app.get(getOAuth2ClientsToken('partners'), { strict: false })).toBe(partners);
    await app.close();
  });

  it('emits its events to the listeners of its server, with the name of the server', async () => {
    const reported: object[] = [];
    @Injectable()
    class Audit {
      @OnOAuth2Event('*')
      write(event: OAuth2Event, name: OAuth2EventName) {
        reported.push({ name, ...event });
      }
    }
    const partners = OAuth2Module.forRoot({ name: 'partners', controllers: false, model: storeWith('web') });
    const app = await Test.createTestingModule({ imports: [partners], providers: [Audit] }).compile();
    await app.init();
    await app.get<OAuth2Clients>(getOAuth2ClientsToken('partners'), { strict: false }).disable('web');
    const facts = { at: expect.any(Date), endpoint: 'clients', clientId: 'web', server: 'partners' };
    expect(reported).toEqual([
      { name: 'client.disabled', ...facts },
      { name: 'grant.ended', ...facts, reason: 'application' },
    ]);
    await app.close();
  });

  it('is request-scoped if the model is request-scoped', async () => {
    const app = await Test.createTestingModule({
      imports: [OAuth2Module.forRoot({ model: PerRequest })],
    }).compile();
    const clients = await app.resolve(OAuth2Clients, undefined, { strict: false });
    expect(await idsOf(clients)).toEqual(['request']);
    await app.close();
  });

  it('is available without endpoints, and reports missing model methods only when it is called', async () => {
    const model = { getAccessToken: () => undefined };
    const imports = [OAuth2Module.forRoot({ model, controllers: false })];
    const app = await Test.createTestingModule({ imports }).compile();
    await expect(app.get(OAuth2Clients, { strict: false }).list()).rejects.toThrow(
      'does not implement `listClients()`',
    );
    await app.close();
  });
});
