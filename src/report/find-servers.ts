import { serverName } from '../../lib/internal.js';
import type { OAuth2Server } from '../../lib/index.js';
import { type Modules, readApplication } from './facts/application.js';
import type { OAuth2ReportOptions, ReportedServer } from './report-on.js';

/** A server of an application, and its name. */
interface FoundServer {
  readonly name: string | undefined;
  readonly server: OAuth2Server;
}

/** The injection token of a named server: the text that `serverName()` returns. */
const NAMED = new RegExp(`^${serverName('(.+)')}$`);

/** Returns the servers of an application, and the options of its `OAuth2Report`. */
export function applicationIn(modules: Modules, globalGuards: readonly unknown[] = []) {
  const application = readApplication(modules, globalGuards);
  const servers = findServers(modules).map(({ name, server }): ReportedServer => ({ name, server, application }));
  return { servers, options: findOptions(modules) };
}

/**
 * Returns the servers of an application. They are found by the names of their injection tokens, which both builds of
 * the library share. A server that Nest makes for each request is left out.
 */
function findServers(modules: Modules): readonly FoundServer[] {
  const found = new Map<string | undefined, OAuth2Server>();
  for (const { providers } of modules.values()) {
    for (const [token, { instance }] of providers) {
      const isDefault = token === serverName();
      const name = typeof token === 'string' ? NAMED.exec(token)?.[1] : undefined;
      const isServer = typeof instance === 'object' && instance !== null && 'context' in instance;
      if ((isDefault || name !== undefined) && isServer) found.set(name, instance as OAuth2Server);
    }
  }
  return [...found].map(([name, server]) => ({ name, server }));
}

/** Returns the options of the `OAuth2Report` of an application, of either build of the library. */
function findOptions(modules: Modules): OAuth2ReportOptions {
  for (const { providers } of modules.values()) {
    for (const [token, { instance }] of providers) {
      if (typeof token !== 'function' || token.name !== 'OAuth2Report') continue;
      return (instance as { options?: OAuth2ReportOptions } | undefined)?.options ?? {};
    }
  }
  return {};
}
