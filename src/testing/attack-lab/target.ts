import { type Capability, serverName } from '../../../lib/internal.js';
import { InvalidArgumentError, type OAuth2Server } from '../../../lib/index.js';
import { tenantServersOf } from '../../tenants/tenant-servers-of.js';
import type { AttackLabOptions, GuardedRoute } from './options.js';
import type { Wire } from './wire.js';

/** The part of a Nest application that the lab uses. */
export interface LabApplication {
  get(token: string, options: { strict: false }): unknown;
  listen(port: number, host: string): Promise<unknown>;
  getHttpServer(): { address(): unknown; listening?: boolean; setSecureContext?: unknown };
}

/** Where the application listens. */
export interface LocalAddress {
  host: string;
  port: number;
  isTls: boolean;
}

/** Returns the address of the application, and lets it listen on a free local port if it does not listen. */
export async function addressOf(app: LabApplication): Promise<LocalAddress> {
  if (!app.getHttpServer().address()) await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer();
  const address = server.address();
  if (typeof address !== 'object' || address === null) {
    throw new InvalidArgumentError('Invalid argument: the application must listen on a TCP port, not on a socket file');
  }
  const { port, address: host } = address as { port: number; address: string };
  const isAny = host === '::' || host === '0.0.0.0';
  return { host: isAny ? 'localhost' : host, port, isTls: server.setSecureContext !== undefined };
}

/** The server under attack: its URLs, features and metadata. */
export class Target {
  readonly features: ReadonlySet<string>;
  /** The metadata of the server. RFC 8414 §2 */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly origin: string;
  /** The scope values that the lab requests for tokens of a user. */
  readonly scopes: readonly string[];
  readonly guarded: GuardedRoute | undefined;
  /** The URL of the guarded route. */
  readonly guardedUrl: string | undefined;
  readonly resource: string | undefined;

  /**
   * @param base the local URL, for servers without `issuer`
   * @param document the metadata document of the server. Empty if it has none.
   */
  constructor(
    readonly server: OAuth2Server,
    options: AttackLabOptions,
    private readonly base: string,
    document: Readonly<Record<string, unknown>>,
  ) {
    const { context } = server;
    this.features = new Set(context.features.map(({ id }) => id));
    const added = context.installed.map(({ parts }) => parts.metadata?.(this.issuer ?? base) ?? {});
    this.metadata = Object.assign({}, ...added, document) as Record<string, unknown>;
    this.origin = new URL(this.issuer ?? base).origin;
    const published = listOf(this.metadata['scopes_supported']);
    const names = apiScopes(published);
    const isOpenId = this.features.has('openid');
    const own = options.scopes ?? (names.length > 0 ? names : ['lab:read', 'lab:write']);
    const isOffline = isOpenId && published.includes('offline_access');
    this.scopes = [...new Set([...(isOpenId ? ['openid'] : []), ...(isOffline ? ['offline_access'] : []), ...own])];
    const resource = context.resources.find((uri) => uri.startsWith(`${this.origin}/`));
    const guarded = options.guarded ?? this.urlOf('userinfo') ?? resource;
    this.guarded = typeof guarded === 'string' ? { path: guarded } : guarded;
    this.guardedUrl = this.guarded && new URL(this.guarded.path, this.origin).href;
    this.resource = options.resource ?? context.resources.find((uri) => uri === this.guardedUrl);
  }

  get issuer(): string | undefined {
    return this.server.options.issuer;
  }

  /** Returns the URL of an endpoint by its ID. `undefined` if the server has no such endpoint. */
  urlOf(endpoint: string): string | undefined {
    return this.server.context.urlOf(endpoint, this.issuer ?? this.base);
  }

  /** Returns what a feature provides under a key. Only the name of the key counts, so that no feature must be loaded. */
  find = <T>(key: Capability<T>): T | undefined => this.server.context.find(key);

  has = (endpoint: string): boolean => this.urlOf(endpoint) !== undefined;
}

/** Returns the scope values that stand for access to an API, without those of OpenID Connect Core §11. */
export const apiScopes = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access');

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);

/** Returns the metadata document that a server publishes. Empty if it publishes none. RFC 8414 §3 */
export async function readMetadata({ context, options }: OAuth2Server, base: string, wire: Wire) {
  const documents = [...context.endpoints.entries()].filter(([, { path }]) =>
    /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(path),
  );
  const urls = documents.flatMap(([id]) => context.urlOf(id, options.issuer ?? base) ?? []);
  const responses = await Promise.all(urls.map((url) => wire.send(url)));
  return Object.assign({}, ...responses.map(({ json }) => json)) as Record<string, unknown>;
}

/**
 * Finds the server under attack.
 * @throws {InvalidArgumentError} If the server has tenants, and no `tenant` is set.
 */
export async function findServer(
  app: LabApplication,
  { server: name }: AttackLabOptions,
  tenant: string | undefined,
): Promise<OAuth2Server> {
  // The name finds servers of both builds of the package.
  const server = app.get(serverName(name), { strict: false }) as OAuth2Server;
  const tenants = tenantServersOf(server);
  if (!tenants) return server;
  if (tenant === undefined) {
    throw new InvalidArgumentError(
      'Invalid argument: the server has tenants: set the option `tenant` of `attackLab()`',
    );
  }
  return tenants.get(tenant);
}
