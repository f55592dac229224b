import type { InjectionToken, INestApplication } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';

import { assertConfig, documentPaths, endpointUrl, isDocument } from '../../lib/internal.js';
import { OAuth2Server, type Scope, type ServerContext } from '../../lib/index.js';
import { engineOptions } from '../configuration/option-table.js';
import type { Endpoint } from '../http/endpoint.js';
import { canAskUsers } from '../interaction/can-ask-users.js';
import type { OAuth2Options, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import type { Application } from '../http/mounted-paths.js';
import { mountServer } from '../http/mounted-resources.js';
import { OAuth2Module } from '../oauth2.module.js';
import { OAUTH2_REGISTRATION, OAUTH2_IMPORT_OPTIONS, type PartTokens, partTokens } from '../oauth2.tokens.js';
import { FeatureInstances } from '../module/feature-instances.js';
import { moduleFeature } from '../module/module-feature.js';
import { moduleOfServer, registeredServerNames } from '../module/registered-servers.js';

/** A server of the application, as far as a document describes it. */
export interface DescribedServer {
  readonly context: ServerContext;
  /** The scope that is required if a route names none. */
  readonly scope: Scope | undefined;
  /** Returns the URL of an endpoint, or its path if no issuer is set. `undefined` if there is no such endpoint. */
  urlOf(this: void, endpoint: string): string | undefined;
  /** The paths of the endpoints in this application, by id. */
  readonly endpointPaths: ReadonlyMap<string, string>;
}

type NestModule = ModulesContainer extends ReadonlyMap<string, infer Module> ? Module : never;

/**
 * Returns the servers of an application by name.
 * @throws {InvalidArgumentError} If the application has no `OAuth2Module`.
 */
export function findServers(app: INestApplication): ReadonlyMap<string | undefined, DescribedServer> {
  const modules = app.get(ModulesContainer);
  const names = registeredServerNames(modules);
  assertConfig(names.length > 0, NONE);
  const application = { config: app.get(ApplicationConfig), modules };
  return new Map(names.map((name) => [name, describedServer(name, moduleOfServer(modules, name)!, application)]));
}

const NONE = 'addOAuth2() finds no OAuth2Module in the application: import it in a module that is not lazy-loaded';

function describedServer(name: string | undefined, module: NestModule, application: Application): DescribedServer {
  const registration = (instanceOf(module, OAUTH2_REGISTRATION) ?? {}) as OAuth2Registration;
  const options = instanceOf(module, OAUTH2_IMPORT_OPTIONS) as OAuth2Options | undefined;
  // Compute the paths here, because the application may not have started yet.
  const { endpoints: all, paths } = mountServer(registration, OAuth2Module, application);
  const servesEndpoints = registration.controllers !== false;
  const hasAuthorizeEndpoint = registration.tenants !== undefined || canAskUsers(registration, options);
  const pathOf = (one: Endpoint): [[string, string]] | undefined => {
    if (one.name === 'authorize' && !hasAuthorizeEndpoint) return undefined;
    return [[one.name, isDocument(one) ? documentPaths(one, options?.issuer)[0]! : paths[one.name]!]];
  };
  const context = contextOf(module, partTokens(name), { registration, options });
  return {
    context,
    scope: context.options.scope,
    endpointPaths: new Map(all.filter((one) => servesEndpoints || isDocument(one)).flatMap((one) => pathOf(one) ?? [])),
    urlOf(endpoint) {
      const path = paths[endpoint];
      if (path === undefined || (endpoint === 'authorize' && !hasAuthorizeEndpoint)) return undefined;
      return options?.issuer === undefined ? path : endpointUrl(options.issuer, path);
    },
  };
}

/** Returns the instance of a provider of a module. `undefined` if the provider is missing or request-scoped. */
function instanceOf({ providers }: NestModule, token: InjectionToken): unknown {
  const provider = providers.get(token);
  return provider?.isDependencyTreeStatic() ? provider.instance : undefined;
}

/**
 * Returns the context of a server. If the server is request-scoped, it is made from the instance or the class of its
 * model.
 */
function contextOf(
  module: NestModule,
  { server: token, model: modelToken }: PartTokens,
  {
    registration: { name, features = [] },
    options = {},
  }: { registration: OAuth2Registration; options: OAuth2Options | undefined },
): ServerContext {
  const server = instanceOf(module, token) as OAuth2Server | undefined;
  if (server) return server.context;
  const modelInstance = instanceOf(module, modelToken) ?? module.providers.get(modelToken)?.metatype?.prototype;
  const instances = instanceOf(module, FeatureInstances) as FeatureInstances;
  const model = (modelInstance ?? {}) as OAuth2Server['options']['model'];
  return new OAuth2Server({
    ...engineOptions(options),
    features: [...features, moduleFeature({ name, instances })],
    model,
  }).context;
}
