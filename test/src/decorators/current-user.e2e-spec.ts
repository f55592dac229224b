import { Controller, Get, ParseIntPipe, type Type, UseGuards } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccessToken,
  CurrentUser,
  OAuth2Module,
  OAuthGuard,
  OptionalAuth,
  Public,
  Roles,
  Scopes,
  type Token,
} from 'nest-oauth2';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { basic, bearer, get, post, readResponse, refusalBody } from '../../support/clients/http.js';
import { ANY_PLATFORM, PLATFORMS, startApplication, stopApplications } from '../../support/servers/test-application.js';

const alice = { id: '1', name: 'Alice' };
const client = { id: 'app', secret: 's3cret', grants: ['client_credentials', 'password'], scopes: ['notes'] };
const posts = [
  { authorId: 1, text: 'of Alice' },
  { authorId: 2, text: 'of Bob' },
];

/** Finds posts as Prisma does: a condition whose value is `undefined` is no condition. */
const findPosts = ({ where: { authorId } }: { where: { authorId: number | undefined } }) =>
  posts.filter((one) => authorId === undefined || one.authorId === authorId);

@Controller('posts')
@UseGuards(OAuthGuard)
@Scopes('notes')
class PostsController {
  @Get()
  list(@CurrentUser('id', ParseIntPipe) id: number) {
    return findPosts({ where: { authorId: id } });
  }

  @Get('plain')
  listOf(@CurrentUser('id') id: string) {
    return findPosts({ where: { authorId: id === undefined ? undefined : Number(id) } });
  }

  @Get('whole')
  whole(@CurrentUser() user: { id: string }) {
    return user;
  }

  @Get('explicit')
  explicit(@CurrentUser('id', { optional: true }) id: string | undefined) {
    return { id: id ?? null };
  }

  @Get('explicit-pipe')
  withPipe(@CurrentUser('id', { optional: true }, new ParseIntPipe({ optional: true })) id: number | undefined) {
    return { id: id ?? null };
  }

  @Get('explicit-whole')
  explicitWhole(@CurrentUser({ optional: true }) user: object | undefined) {
    return { user: user ?? null };
  }

  @Get('optional')
  @OptionalAuth()
  optional(@CurrentUser('id') id: string | undefined) {
    return { id: id ?? null };
  }

  @Get('optional-roles')
  @OptionalAuth()
  @Roles('editor')
  optionalRoles(@CurrentUser('id') id: string) {
    return { id: id ?? null };
  }

  @Get('missing')
  missing(@CurrentUser('tenantId') id: string) {
    return findPosts({ where: { authorId: id === undefined ? undefined : Number(id) } });
  }

  @Get('none')
  none(@AccessToken() { scope }: Token) {
    return { scope };
  }
}

@Controller('inherited')
class InheritingController extends PostsController {}

@Controller('overridden')
class OverridingController extends PostsController {
  // Nest injects the parameters of the base class.
  @Get('plain')
  override listOf(id: string) {
    return super.listOf(id);
  }

  @Get('none')
  override none(@CurrentUser('id') token: never) {
    return { scope: token };
  }

  @Get('whole')
  override whole(@CurrentUser({ optional: true }) user: { id: string } | undefined) {
    return { id: user?.id ?? 'nobody' };
  }
}

/** Replaces the method by another function, without its metadata. */
const Wrapped: MethodDecorator = (_target, _key, descriptor) => {
  const original = descriptor.value as (...given: unknown[]) => unknown;
  const wrapper = function (this: unknown, ...given: unknown[]) {
    return original.apply(this, given);
  };
  return { ...descriptor, value: wrapper as never };
};

@Controller('classes')
@UseGuards(OAuthGuard)
@OptionalAuth()
class OptionalClassController {
  @Get('all')
  all(@CurrentUser('id') id: string | undefined) {
    return { id: id ?? null };
  }

  @Get('scopes')
  @Scopes('notes')
  @Wrapped
  scopes(@CurrentUser('id') id: string) {
    return findPosts({ where: { authorId: id === undefined ? undefined : Number(id) } });
  }
}

/** Accepts every request that it would reject. */
class LenientGuard extends OAuthGuard {
  protected override handleRefusal() {
    return true;
  }
}

@Controller('lenient')
@UseGuards(LenientGuard)
class LenientController {
  @Get()
  list(@CurrentUser('id') id: string) {
    return findPosts({ where: { authorId: id === undefined ? undefined : Number(id) } });
  }
}

@Controller('public')
@Public()
class PublicController {
  @Get()
  read(@CurrentUser('id') id: string) {
    return { id };
  }
}

const CONTROLLERS = [
  PostsController,
  InheritingController,
  OverridingController,
  OptionalClassController,
  LenientController,
];

const users = { findById: () => alice, findByCredentials: () => alice };
const start = (platform: (typeof PLATFORMS)[number], controllers: Type[]) => {
  const imports = [OAuth2Module.forRoot({ model: new MemoryStore({ clients: [client], users }) })];
  return startApplication(platform, { imports, controllers });
};

describe.each(PLATFORMS)('a @CurrentUser() parameter on %s', (platform) => {
  let url: string;
  let user: object;
  let machine: object;
  beforeAll(async () => {
    ({ url } = await start(platform, CONTROLLERS));
    const tokenFor = async (form: Record<string, string>) => {
      const response = await post(`${url}/oauth/token`, { scope: 'notes', ...form }, basic('app', 's3cret'));
      return bearer(((await response.json()) as { access_token: string }).access_token);
    };
    user = await tokenFor({ grant_type: 'password', username: 'alice', password: 'x' });
    machine = await tokenFor({ grant_type: 'client_credentials' });
  });
  afterAll(stopApplications);

  const ask = (path: string, headers: object = {}) => readResponse(get(`${url}/${path}`, headers));
  const bodyOf = async (path: string, headers: object = {}) => (await ask(path, headers)).body;

  it.each(['posts', 'posts/plain', 'inherited', 'overridden/plain', 'classes/scopes'])(
    'never gives the rows of another user to a token without a user: %s',
    async (path) => {
      expect(await bodyOf(path, user)).toEqual([posts[0]]);
      expect(await ask(path, machine)).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
      expect((await ask(path)).status).toBe(401);
    },
  );

  it('rejects a token without a user exactly as @UserRequired() does', async () => {
    const description =
      'Insufficient scope: a user is required, and this token belongs to the client itself: send one that a user has authorized';
    const response = await ask('posts/whole', machine);
    expect(response).toMatchObject({ status: 403, body: refusalBody(403, 'insufficient_scope', description) });
    expect(response.headers['www-authenticate']).toBe('Bearer realm="Service",error="insufficient_scope"');
    expect(await bodyOf('posts/whole', user)).toEqual(alice);
    expect((await ask('posts/optional-roles', machine)).status).toBe(403);
    expect((await ask('posts/optional-roles')).status).toBe(401);
  });

  it('accepts a token without a user if the parameter is optional', async () => {
    expect(await bodyOf('posts/explicit', machine)).toEqual({ id: null });
    expect(await bodyOf('posts/explicit', user)).toEqual({ id: '1' });
    expect(await bodyOf('posts/explicit-whole', machine)).toEqual({ user: null });
    expect(await bodyOf('posts/explicit-pipe', user)).toEqual({ id: 1 });
    expect(await bodyOf('posts/explicit-pipe', machine)).toEqual({ id: null });
    expect(await bodyOf('overridden/whole', machine)).toEqual({ id: 'nobody' });
    expect((await ask('posts/explicit')).status).toBe(401);
  });

  it('is undefined on an optional route without a user', async () => {
    for (const path of ['posts/optional', 'classes/all']) {
      expect(await bodyOf(path)).toEqual({ id: null });
      expect(await bodyOf(path, machine)).toEqual({ id: null });
      expect(await bodyOf(path, user)).toEqual({ id: '1' });
    }
  });

  it('rejects a request that a derived guard has accepted without a user', async () => {
    expect(await bodyOf('lenient', user)).toEqual([posts[0]]);
    expect(await ask('lenient', machine)).toMatchObject({ status: 401, body: { error: 'unauthorized_request' } });
    expect((await ask('lenient')).status).toBe(401);
  });

  it('does not affect routes without the parameter', async () => {
    expect(await bodyOf('posts/none', machine)).toEqual({ scope: 'notes' });
    expect((await ask('overridden/none', machine)).status).toBe(403);
  });

  it('fails instead of passing undefined for a property that the user does not have', async () => {
    expect((await ask('posts/missing', user)).status).toBe(500);
    expect((await ask('posts/missing', machine)).status).toBe(403);
  });
});

describe.each(ANY_PLATFORM)('a required user of a public route on %s', (platform) => {
  it('fails at the start', async () => {
    await expect(start(platform, [PublicController])).rejects.toThrow(
      '@CurrentUser() of PublicController.read() is always undefined, because the route is @Public(): replace @Public() by @OptionalAuth(), or pass `{ optional: true }`',
    );
  });
});
