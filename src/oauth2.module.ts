import type { Server } from 'node:http';
import {
  type DynamicModule,
  Inject,
  Module,
  type NestModule,
  type OnApplicationBootstrap,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { prepareBodies } from './http/body-errors.js';
import { claimRoutes, verifyMetadataUrls } from './configuration/paths.js';
import { checkSchema } from './configuration/check-schema.js';
import { checkStoredState, warnAtStart } from './configuration/check-start.js';

import { assertConfig, documentPaths, effectiveOptions, isDocument, OwnResources } from '../lib/internal.js';
import type { OAuth2Server } from '../lib/index.js';
import type {
  OAuth2ModuleAsyncOptions,
  OAuth2ModuleOptions,
  OAuth2Options,
  OAuth2Registration,
} from './interfaces/oauth2-module-options.interface.js';
import { serveDocuments } from './http/documents.js';
import { type Endpoint, endpointFinder } from './http/endpoint.js';
import { EventListeners } from './operations/event-listeners.js';
import { EventLog } from './operations/event-log.js';
import { explainMissingEndpoints } from './http/missing-endpoints.js';
import { setFormDeadline } from './http/form-deadline.js';
import { guardGateways } from './guards/gateways.js';
import { logMissingMaintenance, logReplacedPages, logStartUp } from './configuration/start-up-log.js';
import { canAskUsers } from './interaction/can-ask-users.js';
import { mountServer, resourcesOf, warnOfSeveralPaths } from './http/mounted-resources.js';
import { defineModule, optionsProviders } from './module/oauth2.module-definition.js';
import { enableResourceCors } from './http/resource-cross-origin.js';
import { isContextUsed, requestContext } from './module/oauth2-context.js';
import { findServer } from './module/server-finder.js';
import {
  type MountedRoutes,
  OAUTH2_REGISTRATION,
  OAUTH2_ROUTES,
  OAUTH2_IMPORT_OPTIONS,
  partTokens,
} from './oauth2.tokens.js';
import { tenantDocumentRoutes } from './tenants/tenant-routes.js';
import { findInstance, registerServer, verifySeparateTokens } from './module/registered-servers.js';
import { warnOfUnservedPaths } from './http/served-paths.js';
import { verifyRoutes } from './guards/verify-routes.js';

/** A placeholder for the issuers of tenants, which are not known before a request. Only its path is used. */
const ANY_ISSUER = 'https://tenant';

/**
 * An OAuth 2.0 authorization server for a Nest application, with the providers that `OAuthGuard` injects. RFC 6749,
 * RFC 6750
 */
@Module({})
export class OAuth2Module implements NestModule, OnModuleInit, OnApplicationBootstrap {
  private readonly registration: OAuth2Registration;

  constructor(
    @Optional() @Inject(OAUTH2_REGISTRATION) registration: OAuth2Registration | undefined,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(ApplicationConfig) readonly config: ApplicationConfig,
    @Inject(ModulesContainer) readonly modules: ModulesContainer,
    @Optional() @Inject(OAUTH2_IMPORT_OPTIONS) private readonly options: OAuth2Options | undefined,
    @Optional() @Inject(OAUTH2_ROUTES) private readonly routes: MountedRoutes = { endpoints: {}, resources: {} },
    @Optional() @Inject(EventListeners) private readonly listeners?: EventListeners,
  ) {
    assertConfig(
      registration !== undefined,
      'import OAuth2Module.forRoot() or OAuth2Module.forRootAsync(), not the class OAuth2Module',
    );
    this.registration = registration;
    registerServer(modules, registration.name);
    guardGateways(config, modules);
  }

  /** Registers the module with options that are already known. */
  static forRoot(options: OAuth2ModuleOptions): DynamicModule {
    const registration: OAuth2Registration = options ?? {};
    return defineModule(OAuth2Module, {
      registration,
      method: 'forRoot',
      options: (provide) => [{ provide, useValue: registration }],
    });
  }

  /**
   * Registers the module with options that `useFactory`, `useClass` or `useExisting` provides when the application
   * starts.
   */
  static forRootAsync(options: OAuth2ModuleAsyncOptions): DynamicModule {
    const registration: OAuth2ModuleAsyncOptions = options ?? {};
    return defineModule(OAuth2Module, {
      registration,
      method: 'forRootAsync',
      options: (provide) => optionsProviders(registration, provide),
    });
  }

  /** Nest calls this before it makes the routes. Middleware and routes of the platform must be registered here. */
  configure(): void {
    const { httpAdapter } = this.host;
    if (!httpAdapter) return;
    const { moduleRef, options } = this;
    const { name, tenants } = this.registration;
    const { endpoints: all, paths, resources, places } = mountServer(this.registration, OAuth2Module, this);
    if (!tenants) verifyMetadataUrls(all, paths);
    const canAuthorize = tenants !== undefined || canAskUsers(this.registration, options);
    Object.assign(this.routes.endpoints, paths, !canAuthorize && { authorize: false });
    Object.assign(this.routes.resources, resources);
    warnOfSeveralPaths(places);
    const { server: token } = partTokens(name);
    const own = findInstance(moduleRef, token) as OAuth2Server | undefined;
    // A mock server of a test may have no context.
    if (own?.context && !tenants) own.mount(this.routes.endpoints, this.routes.resources);
    const endpoints = this.registration.controllers === false ? all.filter(isDocument) : all;
    if (endpoints.length === 0) return;
    const issuer = options?.issuer;
    const documentsAt = (one: Endpoint) => (tenants ? tenantDocumentRoutes(one) : documentPaths(one, issuer));
    const routesOf = (one: Endpoint, path: string) => (isDocument(one) ? documentsAt(one) : [path]);
    const routes = endpoints.flatMap((one) => routesOf(one, one.path));
    claimRoutes(httpAdapter, name, routes);
    const findEndpoint = endpointFinder(endpoints, documentsAt, httpAdapter);
    const { features } = this.registration;
    const { cors } = effectiveOptions(features, options);
    const settings = { cors, events: new EventLog(options?.events, this.listeners, name) };
    if (cors?.resources) {
      enableResourceCors(httpAdapter, {
        cors,
        resources: new OwnResources(resourcesOf(this.registration), issuer ?? ANY_ISSUER, resources),
        findEndpoint,
      });
    }
    prepareBodies(httpAdapter, findEndpoint, settings);
    const server = httpAdapter.getHttpServer() as Server | undefined;
    if (server?.prependListener) setFormDeadline(server, findEndpoint, settings);
    if (server?.prependListener) {
      explainMissingEndpoints(server, { name, paths: endpoints.flatMap((one) => routesOf(one, paths[one.name]!)) });
    }
    serveDocuments(httpAdapter, {
      endpoints,
      routesOf: documentsAt,
      hasPathParameters: tenants !== undefined,
      settings,
      findServer: (native) => findServer(moduleRef, token, native),
    });
  }

  /** Verifies the servers and routes. All servers and guards of the application exist at this point. */
  onModuleInit(): void {
    const { config, modules, moduleRef } = this;
    const { name, tenants } = this.registration;
    // Each tenant has an issuer that no other server has.
    const issuer = tenants ? `the tenants of ${name}` : this.options?.issuer;
    verifySeparateTokens(modules, name, { moduleRef, issuer });
    const server = findInstance(moduleRef, partTokens(name).server) as OAuth2Server | undefined;
    // A mock server of a test may have no context.
    if (server?.context && !tenants && isContextUsed()) server.surround(requestContext);
    if (server?.context && !tenants && this.registration.controllers !== false) {
      const isDeclined = this.registration.interaction === null || this.options?.interaction === null;
      const prefix = config.getGlobalPrefix().replaceAll(/^\/+|\/+$/g, '');
      warnOfUnservedPaths(server.context, { adapter: this.host.httpAdapter, prefix });
      warnAtStart(server.context, this.host.httpAdapter?.getHttpServer() as Server | undefined);
      if (this.registration.interaction ?? this.options?.interaction) logReplacedPages(server.context);
      logMissingMaintenance(server.context, modules);
      logStartUp(server.context, isDeclined || canAskUsers(this.registration, this.options));
    }
    verifyRoutes(config, modules);
  }

  /** Verifies the schema and the content of the store, after the `onModuleInit` methods that may run migrations. */
  async onApplicationBootstrap(): Promise<void> {
    const { moduleRef, registration } = this;
    const tokens = partTokens(registration.name);
    await checkSchema(findInstance(moduleRef, tokens.model));
    await checkStoredState(findInstance(moduleRef, tokens.server) as OAuth2Server | undefined);
  }
}
