import type { ModulesContainer } from '@nestjs/core';
import { ModuleRef } from '@nestjs/core';
import { InvalidArgumentError, type OAuth2Server } from '../../lib/index.js';
import type { NativeRequest } from '../http/http-adapter.js';
import { partTokens } from '../oauth2.tokens.js';
import { moduleOfServer, registeredServerNames } from '../module/registered-servers.js';
import { findServer } from '../module/server-finder.js';

/** The servers that routes call by name, each looked for once. */
export class NamedServers {
  private readonly servers = new Map<string, OAuth2Server>();
  private readonly modules = new Map<string, ModuleRef>();

  /** @param container left out by a host that makes its guard itself */
  constructor(private readonly container: ModulesContainer | undefined) {}

  get hasAny(): boolean {
    return this.container !== undefined && registeredServerNames(this.container).some((name) => name !== undefined);
  }

  /** @throws InvalidArgumentError when there is none of this name */
  find(name: string, native: NativeRequest): OAuth2Server | Promise<OAuth2Server> {
    const known = this.servers.get(name);
    if (known) return known;
    const server = findServer(this.moduleOf(name), partTokens(name).server, native);
    // One that is made for each request is looked for again.
    if (server instanceof Promise) return server.then(withVerifiedModel);
    this.servers.set(name, withVerifiedModel(server));
    return server;
  }

  private moduleOf(name: string): ModuleRef {
    let module = this.modules.get(name);
    if (!module) {
      module = this.container && moduleOfServer(this.container, name)?.getProviderByKey<ModuleRef>(ModuleRef)?.instance;
      const remedy = 'register it by OAuth2Module, and let Nest make the guard';
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

/** A stand-in for the server, as tests have it, brings no model to check. */
export function verifyModel({ options }: { options?: OAuth2Server['options'] }): void {
  if (!options || typeof options.model.getAccessToken === 'function') return;
  throw new InvalidArgumentError(
    'Invalid argument: OAuthGuard needs the model method `getAccessToken()`: implement it to find the token of a request',
  );
}
