import type { DynamicModule, InjectionToken, Provider, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

import { assertConfig, configurationError } from '../../lib/internal.js';
import type { OAuth2Server } from '../../lib/index.js';
import { checkInteraction } from '../configuration/check-interaction.js';
import { assertOptions, findRegistrationError } from '../configuration/check-options.js';
import { makeServer } from '../configuration/make-server.js';
import { resolveEndpoints } from '../configuration/paths.js';
import { clientsProviders } from './clients-providers.js';
import { EventListeners } from '../operations/event-listeners.js';
import { EventLog } from '../operations/event-log.js';
import { FeatureInstances, instanceProviders } from './feature-instances.js';
import { optionProvider } from './option-provider.js';
import { grantsProvider } from './grants-provider.js';
import { makeInteraction } from '../interaction/interactive-feature.js';
import { InteractionFlow } from '../interaction/interaction-flow.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type {
  ProviderOption,
  OAuth2ModuleAsyncOptions,
  OAuth2Options,
  OAuth2OptionsFactory,
  OAuth2Registration,
} from '../interfaces/oauth2-module-options.interface.js';
import { secretOptions } from './module-feature.js';
import { isContextUsed, OAuth2Context, requestContext } from './oauth2-context.js';
import { createController } from '../oauth2.controller.js';
import {
  getOAuth2TenantServersToken,
  OAUTH2_REGISTRATION,
  OAUTH2_ROUTES,
  OAUTH2_IMPORT_OPTIONS,
  type MountedRoutes,
  type PartTokens,
  partTokens,
} from '../oauth2.tokens.js';
import { elicitationsProvider } from './elicitations-provider.js';
import { personalTokensProvider } from './personal-tokens-provider.js';
import { upstreamsProvider } from './upstreams-provider.js';
import { sessionsProvider } from './sessions-provider.js';
import { tenantProviders } from '../tenants/tenant-providers.js';

/** One import of the module: its registration and the source of its options. */
interface Import {
  registration: OAuth2Registration;
  method: 'forRoot' | 'forRootAsync';
  /** Returns the providers of the options for their injection token. */
  options: (provide: InjectionToken) => Provider[];
}

/** Defines one import of the module. Configuration errors are thrown when Nest makes the providers, at start-up. */
export function defineModule(module: Type, { registration, method, options }: Import): DynamicModule {
  const error = findRegistrationError(registration, method);
  if (error !== undefined) return defineFailingModule(module, error, registration?.name);
  const { controllers = true, extraProviders = [], features, imports = [], isGlobal = false, name } = registration;
  const parts = partTokens(name);
  const server: Provider = {
    provide: parts.server,
    inject: [parts.options, parts.model, EventListeners, FeatureInstances],
    useFactory(
      moduleOptions: OAuth2Options,
      model: unknown,
      listeners: EventListeners,
      instances: FeatureInstances,
    ): OAuth2Server {
      assertOptions(moduleOptions, { registration, method });
      const events = new EventLog(moduleOptions.events, listeners, name);
      const made = makeServer(model, {
        options: moduleOptions,
        features,
        events,
        controllers,
        registration: { name, instances, ...secretOptions(moduleOptions) },
      });
      if (isContextUsed()) made.surround(requestContext);
      return made;
    },
  };
  const oneServer = [server, interactionFlow(parts)];
  return {
    module,
    global: isGlobal,
    imports,
    controllers: controllers ? [createController(resolveEndpoints(registration), parts.server)] : [],
    providers: [
      { provide: OAUTH2_REGISTRATION, useValue: registration },
      { provide: OAUTH2_ROUTES, useFactory: (): MountedRoutes => ({ endpoints: {}, resources: {} }) },
      OAuth2Context,
      eventListeners(name),
      ...extraProviders,
      ...options(parts.options),
      { provide: OAUTH2_IMPORT_OPTIONS, useExisting: parts.options },
      provideOption('model', parts, registration.model),
      provideOption('interaction', parts, registration.interaction),
      ...instanceProviders(features),
      ...(registration.tenants ? tenantProviders(registration, method, parts) : oneServer),
      ...clientsProviders(parts, name),
      grantsProvider(parts),
      sessionsProvider(parts),
      personalTokensProvider(parts),
      upstreamsProvider(parts),
      elicitationsProvider(parts),
    ],
    exports: [...exportsOf(name), ...(registration.tenants ? [getOAuth2TenantServersToken(name)] : [])],
  };
}

/** Defines a module whose providers throw the configuration error. */
function defineFailingModule(module: Type, error: string, name: string | undefined): DynamicModule {
  const useFactory = () => {
    throw configurationError(error);
  };
  const tokens = new Set([...exportsOf(undefined), ...exportsOf(name)]);
  const parts = [...tokens].map((provide): Provider =>
    provide === OAUTH2_REGISTRATION ? { provide, useValue: {} } : { provide, useFactory },
  );
  return { module, global: true, providers: parts, exports: [...tokens] };
}

/**
 * Returns the injection tokens that an import exports. A guard that finds `OAUTH2_REGISTRATION` uses the default
 * server.
 */
function exportsOf(name: string | undefined): InjectionToken[] {
  const parts = Object.values(partTokens(name)) as InjectionToken[];
  return name === undefined ? [...parts, OAuth2Context, OAUTH2_REGISTRATION] : [...parts, OAuth2Context];
}

const eventListeners = (name: string | undefined): Provider => ({
  provide: EventListeners,
  inject: [ModulesContainer],
  useFactory: (modules: ModulesContainer) => new EventListeners(modules, name),
});

const interactionFlow = (parts: PartTokens): Provider => ({
  provide: InteractionFlow,
  inject: [parts.server, parts.options, parts.interaction],
  useFactory(server: OAuth2Server, options: OAuth2Options, configured: OAuth2Interaction | null | undefined) {
    const interaction = configured ?? makeInteraction(server.context);
    if (!interaction) return undefined;
    const made = { model: server.options?.model, server: server.context };
    return new InteractionFlow(server, interaction, checkInteraction(interaction, options, made));
  },
});

/**
 * Returns the provider of the model or the interaction: from the registration or, if it sets none, from the options of
 * the factory.
 */
function provideOption(
  name: 'model' | 'interaction',
  parts: PartTokens,
  option: ProviderOption<object> | null | undefined,
): Provider {
  const provide = parts[name];
  // Treat `null` like `undefined`.
  if ((option ?? undefined) === undefined) {
    return { provide, inject: [parts.options], useFactory: (options: OAuth2Options | undefined) => options?.[name] };
  }
  return optionProvider(name, provide, option!);
}

type OptionsFactory = NonNullable<OAuth2ModuleAsyncOptions['useFactory']>;

/** Returns a factory whose error says that it has more parameters than `inject` has values. */
function explainingFactory(useFactory: OptionsFactory, values: number): OptionsFactory {
  if (useFactory.length <= values) return useFactory;
  return async (...injected) => {
    try {
      return await useFactory(...injected);
    } catch (error) {
      throw configurationError(
        `\`useFactory\` of OAuth2Module.forRootAsync() failed: ${String(error)}. It has ${useFactory.length} parameters, and \`inject\` lists ${values}: add the others, as \`inject: [ConfigService]\``,
      );
    }
  };
}

/** Returns the providers of the options of `forRootAsync()`, from `useFactory`, `useClass` or `useExisting`. */
export function optionsProviders(
  { useFactory, inject = [], useClass, useExisting }: OAuth2ModuleAsyncOptions,
  provide: InjectionToken,
): Provider[] {
  if (useFactory) return [{ provide, useFactory: explainingFactory(useFactory, inject.length), inject }];
  const factory = (useExisting ?? useClass)!;
  const fromFactory: Provider = {
    provide,
    inject: [factory],
    useFactory(maker: OAuth2OptionsFactory | undefined) {
      const isMaker = typeof maker?.createOAuth2Options === 'function';
      const name = useClass ? '`useClass`' : '`useExisting`';
      assertConfig(
        isMaker,
        `${name} of OAuth2Module.forRootAsync() has no method \`createOAuth2Options()\`: implement it`,
      );
      return maker.createOAuth2Options();
    },
  };
  return useClass ? [useClass, fromFactory] : [fromFactory];
}
