import type { Server } from 'node:http';
import { type DynamicModule, Inject, Module, type NestModule, Optional } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { OAuth2Server } from '../lib/index.js';
import { prepareBodies } from './body-errors.js';
import { claimRoutes, settlePaths } from './configuration/paths.js';
import { verify } from './configuration/verify.js';
import type {
  OAuth2ModuleAsyncOptions,
  OAuth2ModuleOptions,
  OAuth2Options,
  OAuth2Registration,
} from './interfaces/oauth2-module-options.interface.js';
import { endpointFinder } from './endpoint.js';
import { setFormDeadline } from './form-deadline.js';
import { defineModule, optionsProviders } from './oauth2.module-definition.js';
import { OAUTH2_OPTIONS, OAUTH2_REGISTRATION } from './oauth2.tokens.js';

/** An OAuth 2.0 authorization server for a Nest application, and what its guard needs. RFC 6749, RFC 6750 */
@Module({})
export class OAuth2Module implements NestModule {
  private readonly registration: OAuth2Registration;

  constructor(
    @Optional() @Inject(OAUTH2_REGISTRATION) registration: OAuth2Registration | undefined,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Optional() @Inject(OAUTH2_OPTIONS) private readonly options: OAuth2Options | undefined,
  ) {
    verify(
      registration !== undefined,
      'import OAuth2Module by OAuth2Module.forRoot() or forRootAsync(), not by its name',
    );
    this.registration = registration;
  }

  /** Registers the module with options that are known already. */
  static forRoot(options: OAuth2ModuleOptions): DynamicModule {
    const registration: OAuth2Registration = options ?? {};
    const provider = { provide: OAUTH2_OPTIONS, useValue: registration };
    return defineModule(OAuth2Module, { registration, method: 'forRoot', options: () => [provider] });
  }

  /** Registers the module with options that a factory finds out while the application starts. */
  static forRootAsync(options: OAuth2ModuleAsyncOptions): DynamicModule {
    const registration: OAuth2ModuleAsyncOptions = options ?? {};
    return defineModule(OAuth2Module, {
      registration,
      method: 'forRootAsync',
      options: () => optionsProviders(registration),
    });
  }

  /** Nest calls this before it makes the routes: the last moment to tell Fastify about them. */
  configure(): void {
    const { controllers, paths } = this.registration;
    const { httpAdapter } = this.host;
    if (controllers === false || !httpAdapter) return;
    const settled = settlePaths(paths);
    claimRoutes(httpAdapter, settled);
    const findEndpoint = endpointFinder(settled);
    const { moduleRef, options } = this;
    const facts = {
      cors: options?.cors,
      get events() {
        return moduleRef.get(OAuth2Server).events;
      },
    };
    prepareBodies(httpAdapter, findEndpoint, facts);
    const server = httpAdapter.getHttpServer() as Server | undefined;
    if (server?.prependListener) setFormDeadline(server, findEndpoint, facts);
  }
}
