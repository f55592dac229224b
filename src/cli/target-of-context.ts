import type { INestApplicationContext } from '@nestjs/common';

import { serverName } from '../../lib/internal.js';
import { type OAuth2Clients, OAuth2Grants, type OAuth2Server } from '../../lib/index.js';
import { clientsName } from '../module/provider-names.js';
import type { Modules } from '../report/facts/application.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { CommandError, type CommandTarget } from './command.js';

/**
 * Returns a started Nest application as the target of a command.
 * @param modules Returns the modules of the application, for `doctor`. If omitted, there is no report.
 */
export function targetOfContext(context: INestApplicationContext, modules?: () => object): CommandTarget {
  const find = async (token: string, server: string | undefined) => {
    const provider = await findProvider(context, token);
    if (provider) return provider;
    const which = server === undefined ? 'no default server: add --server <name>' : `no server \`${server}\``;
    throw new CommandError(`The application has ${which}`);
  };
  return {
    clients: (server) => find(clientsName(server), server) as Promise<OAuth2Clients>,
    async server(name, tenant) {
      const server = (await find(serverName(name), name)) as OAuth2Server;
      return await serverOf(server, tenant);
    },
    async grants(name, tenant) {
      const server = (await find(serverName(name), name)) as OAuth2Server;
      const isOfAll = tenantServersOf(server) !== undefined && tenant === undefined;
      return OAuth2Grants.of((isOfAll ? server : await serverOf(server, tenant)).context);
    },
    async report(request) {
      const [{ reportOn }, { applicationIn }] = await Promise.all([
        import('../report/report-on.js'),
        import('../report/find-servers.js'),
      ]);
      const { servers, options } = applicationIn((modules?.() ?? new Map()) as Modules);
      return reportOn(servers, { ...options, ...request });
    },
    close: () => context.close(),
  };
}

async function serverOf(server: OAuth2Server, tenant: string | undefined): Promise<OAuth2Server> {
  const tenants = tenantServersOf(server);
  if (!tenants) {
    if (tenant === undefined) return server;
    throw new CommandError('The server has no tenants: remove --tenant.');
  }
  if (tenant === undefined) throw new CommandError('Each tenant has its own server: add --tenant <id>.');
  try {
    return await tenants.get(tenant);
  } catch (error) {
    if ((error as { status?: unknown }).status !== 404) throw error;
    throw new CommandError(`There is no tenant ${JSON.stringify(tenant)}`);
  }
}

/**
 * Returns the provider of an injection token, or `undefined` if the application has none. Resolves request-scoped
 * providers.
 */
async function findProvider(context: INestApplicationContext, token: string): Promise<unknown> {
  try {
    return context.get(token, { strict: false });
  } catch (error) {
    const { name } = (error as Error).constructor;
    if (name === 'UnknownElementException') return undefined;
    if (name === 'InvalidClassScopeException') return context.resolve(token, undefined, { strict: false });
    throw error;
  }
}
