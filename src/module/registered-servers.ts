import type { InjectionToken } from '@nestjs/common';
import type { ModuleRef, ModulesContainer } from '@nestjs/core';

import { assertConfig, hasSameStorage } from '../../lib/internal.js';
import { describeServers } from '../configuration/paths.js';
import type { OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { OAUTH2_REGISTRATION, partTokens } from '../oauth2.tokens.js';

/** A server that has been made. */
interface StartedServer {
  readonly name: string | undefined;
  readonly model: object;
  readonly issuer: string | undefined;
}

/** The servers of one application. */
interface ApplicationServers {
  readonly names: Set<string>;
  readonly started: StartedServer[];
}

const applications = new WeakMap<ModulesContainer, ApplicationServers>();

function serversOf(modules: ModulesContainer): ApplicationServers {
  let servers = applications.get(modules);
  if (!servers) applications.set(modules, (servers = { names: new Set(), started: [] }));
  return servers;
}

/**
 * Verifies that no other server of the application has this name.
 * @throws {InvalidArgumentError} If the name is already used.
 */
export function registerServer(modules: ModulesContainer, name: string | undefined): void {
  if (name === undefined) return;
  const { names } = serversOf(modules);
  const remedy = 'give each a different name, or register the server once, in a module that exports OAuth2Module';
  assertConfig(!names.has(name), `two imports of OAuth2Module have the same name \`${name}\`: ${remedy}`);
  names.add(name);
}

/**
 * Verifies that a server cannot accept tokens of another server. Servers may share a model only if it stores issuers
 * and each server has a different issuer. RFC 9700 §4.4
 * @throws {InvalidArgumentError} If two servers would accept each other's tokens.
 */
export function verifySeparateTokens(
  modules: ModulesContainer,
  name: string | undefined,
  { moduleRef, issuer }: { moduleRef: ModuleRef; issuer: string | undefined },
): void {
  const model = findInstance(moduleRef, partTokens(name).model);
  // A request-scoped model cannot be compared.
  if (!model) return;
  const { started } = serversOf(modules);
  for (const other of started) {
    if (!hasSameStorage(model, other.model) || (name === undefined && other.name === undefined)) continue;
    const keepsIssuers = 'revokeGrant' in model && 'revokeGrant' in other.model;
    const areApart = keepsIssuers && issuer !== undefined && other.issuer !== undefined && issuer !== other.issuer;
    const remedy = keepsIssuers ? 'give each a different `issuer` or model' : 'give each server its own model';
    const problem = "store tokens in the same place and would accept each other's tokens";
    assertConfig(areApart, `${describeServers(name, other.name)} ${problem}: ${remedy}`);
  }
  started.push({ name, model, issuer });
}

/** Returns the instance of a provider. `undefined` if the provider is request-scoped. */
export function findInstance(moduleRef: ModuleRef, token: InjectionToken): object | undefined {
  try {
    return moduleRef.get<object>(token as string);
  } catch {
    return undefined;
  }
}

/** Returns the module in which a server was registered. `undefined` if there is no server with this name. */
export function moduleOfServer(modules: ModulesContainer, name: string | undefined) {
  const { server } = partTokens(name);
  return [...modules.values()].find(({ providers }) => providers.has(server) && providers.has(OAUTH2_REGISTRATION));
}

/** Returns the names of all servers of an application. `undefined` stands for the default server. */
export const registeredServerNames = (modules: ModulesContainer): readonly (string | undefined)[] =>
  registrationsOf(modules).map(({ name }) => name);

/** Returns the registrations of all servers of an application. */
export function registrationsOf(modules: ModulesContainer): readonly OAuth2Registration[] {
  return [...modules.values()].flatMap(({ providers }) => {
    const registration = providers.get(OAUTH2_REGISTRATION)?.instance as OAuth2Registration | undefined;
    return registration ? [registration] : [];
  });
}
