import { type Capability, PERSONAL_TOKENS } from '../../../lib/internal.js';
import { ORGANIZATIONS } from '../../pages/organizations/organizations.js';
import type { LabClients } from './clients.js';
import type { AttackLabOptions } from './options.js';
import type { Target } from './target.js';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Decides which attacks apply to the application. */
export class LabContext {
  /** Whether the guarded route accepts requests without a token. */
  isOpen = false;

  constructor(
    readonly target: Target,
    readonly options: AttackLabOptions,
    private readonly clients: LabClients,
    /** Whether the clock of the store is that of the process. */
    private readonly hasVirtualClock: boolean,
  ) {}

  /** Returns the first reason why the application does not have what an attack needs. `undefined` if it has all. */
  lacksAny(needs: readonly string[]): string | undefined {
    return needs.map((need) => this.lacks(need)).find((reason) => reason !== undefined);
  }

  lacks(need: string): string | undefined {
    const { target, options, hasUser } = this;
    const { context } = target.server;
    const known: Readonly<Record<string, readonly [isThere: boolean, reason: string]>> = {
      user: [hasUser, 'no user signs in: `signIn` is false'],
      code: [hasUser && context.grants.has('authorization_code'), 'no user gets an authorization code'],
      'device code': [context.grants.has(DEVICE_GRANT), 'the feature `deviceAuthorization()` is not listed'],
      'login page': [hasUser && typeof options.signIn === 'object', 'a function `signIn` replaces the login page'],
      'public clients': [this.clients.allowsPublic, 'the server accepts no public clients'],
      'new clients': [this.clients.canCreate, 'the lab cannot create clients: `clients` is a list'],
      route: [target.guarded !== undefined, 'no guarded route is known: set `guarded`'],
      'guarded route': target.guarded
        ? [!this.isOpen, 'the route accepts every request, see `guard-no-token`']
        : [false, 'no guarded route is known: set `guarded`'],
      'own pages': [(options.pages ?? []).length > 0 && hasUser, 'no pages of your own are listed: set `pages`'],
      issuer: [target.issuer !== undefined, 'the option `issuer` of the server is not set'],
      tenants: [options.otherTenant !== undefined, 'no second tenant is known: set `otherTenant`'],
      snapshot: [options.snapshot !== undefined, 'the database cannot be restored: set `snapshot`'],
      'other user': [options.otherUser !== undefined && hasUser, 'no other user is known: set `otherUser`'],
      'second factor': [
        options.secondFactorUser !== undefined && hasUser,
        'no user with a second factor is known: set `secondFactorUser`',
      ],
      organizations: [this.has(ORGANIZATIONS), '`pages()` has no option `organizations`'],
      membership: [options.organizations !== undefined, 'the user cannot leave an organization: set `organizations`'],
      'personal tokens': [this.has(PERSONAL_TOKENS), 'the server has no personal access tokens'],
      provider: [options.upstream !== undefined, 'no provider is known: set `upstream`'],
      'logout token': [options.upstream?.logoutToken !== undefined, '`upstream` has no `logoutToken()`'],
      gateway: [options.gateway !== undefined, 'no WebSocket gateway is known: set `gateway`'],
      clock: [this.hasVirtualClock, 'the store uses the clock of its database'],
    };
    const [isThere, reason] =
      known[need] ??
      (need.startsWith('/')
        ? [target.has(need.slice(1)), `the server has no endpoint \`${need.slice(1)}\``]
        : need.endsWith('()')
          ? [target.features.has(need.slice(0, -2)), `the feature \`${need}\` is not listed`]
          : [context.grants.has(need), `the server does not support the grant \`${need}\``]);
    return isThere ? undefined : reason;
  }

  private has = (key: Capability<unknown>): boolean => this.target.find(key) !== undefined;

  /** Whether users sign in at this server. */
  get hasUser(): boolean {
    return this.options.signIn !== false && this.options.signIn !== undefined;
  }
}
