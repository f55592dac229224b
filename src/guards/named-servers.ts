import type { ModulesContainer } from '@nestjs/core';
import { ModuleRef } from '@nestjs/core';
import { InvalidArgumentError, type OAuth2Server } from '../../lib/index.js';
import type { NativeRequest } from '../http/http-adapter.js';
import { partTokens } from '../oauth2.tokens.js';
import { moduleOfServer, registeredServerNames } from '../module/registered-servers.js';
import { findServer } from '../module/server-finder.js';

/**
 * The servers that routes select by name with `@UseOAuth()`. A server is looked up once, or for each request if it is
 * request-scoped.
 */
export class NamedServers {
  private readonly servers = new Map<string, OAuth2Server>();
  private readonly modules = new Map<string, ModuleRef>();

  /** @param container the modules of the application. `undefined` if the application makes its guard itself. */
  constructor(private readonly container: ModulesContainer | undefined) {}

  get hasAny(): boolean {
    return this.container !== undefined && registeredServerNames(this.container).some((name) => name !== undefined);
  }

  /**
   * Returns the server with this name.
   * @throws {InvalidArgumentError} If the application has no such server, or its model has no method
   * `getAccessToken()`.
   */
  find(name: string, native: NativeRequest): OAuth2Server | Promise<OAuth2Server> {
    const cached = this.servers.get(name);
    if (cached) return cached;
    const server = findServer(this.moduleOf(name), partTokens(name).server, native);
    // A request-scoped server must be looked up for each request.
    if (server instanceof Promise) return server.then(withVerifiedModel);
    this.servers.set(name, withVerifiedModel(server));
    return server;
  }

  private moduleOf(name: string): ModuleRef {
    let module = this.modules.get(name);
    if (!module) {
      module = this.container && moduleOfServer(this.container, name)?.getProviderByKey<ModuleRef>(ModuleRef)?.instance;
      const remedy = 'register it with OAuth2Module, and let Nest make the guard';
      if (!module) throw new InvalidArgumentError(`Invalid argument: there is no server \`${name}\`: ${remedy}`);
      this.modules.set(name, module);
    }
    return module;
  }
}

function withVerifiedModel(server: OAuth2Server): OAuth2Server {
  verifyModel(server);
  return server;
}

/**
 * Verifies that the model can find access tokens. A mock of the server in a test may have no options.
 * @throws {InvalidArgumentError} If the model has no method `getAccessToken()`.
 */
export function verifyModel({ options }: { options?: OAuth2Server['options'] }): void {
  if (!options || typeof options.model.getAccessToken === 'function') return;
  throw new InvalidArgumentError(
    'Invalid argument: OAuthGuard requires the model method `getAccessToken()`, which finds the token of a request: implement it',
  );
}
