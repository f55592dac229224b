import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication, Module, UseGuards } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { CurrentUser, OAUTH2_MODEL, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { actingAs, OAuth2TestingModule, TestingModel } from 'nest-oauth2/testing';

@Controller('notes')
@UseGuards(OAuthGuard)
class NotesController {
  @Get()
  @Scopes('notes:read')
  list(@CurrentUser() user: { role: string }): string[] {
    return [`for the ${user.role}`];
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

@Module({ imports: [OAuth2Module.forRoot({ model: {} as never, isGlobal: true }), NotesModule] })
class AppModule {}

const ADA = { id: 'ada', role: 'admin' };
let app: INestApplication;

async function listNotes(token?: string) {
  const headers = token ? { authorization: `Bearer ${token}` } : undefined;
  const response = await fetch(`${await app.getUrl()}/notes`, { headers });
  return { status: response.status, body: await response.json() };
}

afterEach(() => app.close());

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('OAuth2TestingModule and actingAs() on %s', (_name, adapter) => {
  it('provide an in-memory model and tokens to the tests of a module', async () => {
    const testing = await Test.createTestingModule({ imports: [OAuth2TestingModule.forTest(), NotesModule] }).compile();
    app = testing.createNestApplication(adapter() as ExpressAdapter);
    await app.listen(0, '127.0.0.1');

    const token = await actingAs(app, ADA, ['notes:read']);
    await expect(listNotes(token)).resolves.toEqual({ status: 200, body: ['for the admin'] });
    await expect(listNotes(await actingAs(testing, ADA, ['notes:write']))).resolves.toMatchObject({ status: 403 });
    await expect(listNotes()).resolves.toMatchObject({ status: 401 });
  });

  it('replace the model of a complete application', async () => {
    const testing = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(OAUTH2_MODEL)
      .useValue(new TestingModel())
      .compile();
    app = testing.createNestApplication(adapter() as ExpressAdapter);
    await app.listen(0, '127.0.0.1');
    await expect(listNotes(await actingAs(app, ADA, ['notes:read']))).resolves.toMatchObject({ status: 200 });
  });
});
