import type { InjectionToken } from '@nestjs/common';
import type { ModuleRef, ModulesContainer } from '@nestjs/core';
import { assertConfig, hasSameStorage } from '../../lib/adapter/index.js';
import { describeServers } from '../configuration/paths.js';
import { OAUTH2_REGISTRATION, partTokens } from '../oauth2.tokens.js';

/** What is known of a server once it is made. */
interface StartedServer {
  readonly name: string | undefined;
  readonly model: object;
  readonly issuer: string | undefined;
}

/** The servers of an application. */
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

/** Checks that a name is that of one server. */
export function registerServer(modules: ModulesContainer, name: string | undefined): void {
  if (name === undefined) return;
  const { names } = serversOf(modules);
  const remedy = 'give each its own, or register it once, in a module that exports OAuth2Module';
  assertConfig(!names.has(name), `two imports of OAuth2Module have the name \`${name}\`: ${remedy}`);
  names.add(name);
}

/** Checks that tokens of a server are none of another one: over one model, by issuers that it keeps. RFC 9700 §4.4 */
export function verifySeparateTokens(
  modules: ModulesContainer,
  name: string | undefined,
  { moduleRef, issuer }: { moduleRef: ModuleRef; issuer: string | undefined },
): void {
  const model = findInstance(moduleRef, partTokens(name).model);
  // One that is made for each request says nothing here.
  if (!model) return;
  const { started: known } = serversOf(modules);
  for (const other of known) {
    if (!hasSameStorage(model, other.model) || (name === undefined && other.name === undefined)) continue;
    const keepsIssuers = 'revokeGrant' in model && 'revokeGrant' in other.model;
    const areApart = keepsIssuers && issuer !== undefined && other.issuer !== undefined && issuer !== other.issuer;
    const remedy = keepsIssuers ? 'give each an `issuer` of its own, or a model' : 'give each a model of its own';
    const fault = 'keep their tokens in one place, and each would take those of the other';
    assertConfig(areApart, `${describeServers(name, other.name)} ${fault}: ${remedy}`);
  }
  known.push({ name, model, issuer });
}

/** What is made once; undefined for what is made for each request. */
export function findInstance(moduleRef: ModuleRef, token: InjectionToken): object | undefined {
  try {
    return moduleRef.get<object>(token as string);
  } catch {
    return undefined;
  }
}

/** The module in which a server was registered; undefined: there is none of that name. */
export function moduleOfServer(modules: ModulesContainer, name: string | undefined) {
  const { server } = partTokens(name);
  return [...modules.values()].find(({ providers }) => providers.has(server) && providers.has(OAUTH2_REGISTRATION));
}

/** The names of all servers of an application, as they were registered; undefined: one without. */
export function registeredServerNames(modules: ModulesContainer): readonly (string | undefined)[] {
  return [...modules.values()].flatMap(({ providers }) => {
    const registration = providers.get(OAUTH2_REGISTRATION)?.instance as { name?: string } | undefined;
    return registration ? [registration.name] : [];
  });
}
