import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { OAuth2Server } from '../lib/index.js';
import { checkInteraction } from './configuration/check-interaction.js';
import { checkModel } from './configuration/check-model.js';
import { checkOptions, checkRegistration, settlePaths, verify } from './configuration/check-options.js';
import { checkNames, engineOptions } from './configuration/option-names.js';
import { InteractionFlow } from './interaction/interaction-flow.js';
import type { OAuth2Interaction } from './interfaces/oauth2-interaction.interface.js';
import type {
  Given,
  OAuth2ModuleAsyncOptions,
  OAuth2Options,
  OAuth2OptionsFactory,
  OAuth2Registration,
} from './interfaces/oauth2-module-options.interface.js';
import { createController } from './oauth2.controller.js';
import { OAUTH2_INTERACTION, OAUTH2_MODEL, OAUTH2_OPTIONS, OAUTH2_REGISTRATION } from './oauth2.tokens.js';

/** One import of the module: how it was registered, and where its options come from. */
interface Import {
  registration: OAuth2Registration;
  method: 'forRoot' | 'forRootAsync';
  options: Provider[];
}

/** Defines one import of the module. What is wrong with it is found while Nest makes the providers: at start-up. */
export function defineModule(module: Type, { registration, method, options }: Import): DynamicModule {
  const {
    controllers = true,
    extraProviders = [],
    imports = [],
    interaction,
    isGlobal = false,
    model,
    paths,
  } = registration;
  const server: Provider = {
    provide: OAuth2Server,
    inject: [OAUTH2_OPTIONS, OAUTH2_MODEL],
    useFactory(settled: OAuth2Options, found: unknown): OAuth2Server {
      checkRegistration(registration, method);
      checkSettled(settled, method);
      checkModel(found, controllers);
      return new OAuth2Server({ ...engineOptions(settled), model: found });
    },
  };
  return {
    module,
    global: isGlobal,
    imports,
    controllers: controllers ? [createController(settlePaths(paths))] : [],
    providers: [
      { provide: OAUTH2_REGISTRATION, useValue: registration },
      ...extraProviders,
      ...options,
      provideGiven('model', OAUTH2_MODEL, model),
      provideGiven('interaction', OAUTH2_INTERACTION, interaction),
      server,
      interactionFlow,
    ],
    exports: [OAuth2Server, OAUTH2_MODEL, OAUTH2_OPTIONS, OAUTH2_INTERACTION],
  };
}

function checkSettled(options: unknown, method: Import['method']): asserts options is OAuth2Options {
  verify(
    typeof options === 'object' && options !== null,
    'the factory of OAuth2Module.forRootAsync() must return options',
  );
  if (method === 'forRootAsync') checkNames(options, 'factory');
  checkOptions(options);
}

const interactionFlow: Provider = {
  provide: InteractionFlow,
  inject: [OAuth2Server, OAUTH2_OPTIONS, OAUTH2_INTERACTION],
  useFactory(server: OAuth2Server, options: OAuth2Options, interaction: OAuth2Interaction | null | undefined) {
    if (interaction === undefined || interaction === null) return undefined;
    return new InteractionFlow(server, interaction, checkInteraction(interaction, options));
  },
};

/** The model or the interaction: made by Nest, given as it is, or left to the options' factory. */
function provideGiven(name: 'model' | 'interaction', provide: symbol, given: Given<object> | undefined): Provider {
  if (given === undefined) {
    return { provide, inject: [OAUTH2_OPTIONS], useFactory: (options: OAuth2Options | undefined) => options?.[name] };
  }
  if (typeof given === 'function') return { provide, useClass: given as Type<object> };
  const isProvider = ['useExisting', 'useClass', 'useFactory'].some((key) => Object.hasOwn(given ?? {}, key));
  return isProvider ? ({ ...given, provide } as Provider) : { provide, useValue: given };
}

/** Where the options of `forRootAsync()` come from. */
export function optionsProviders({
  useFactory,
  inject = [],
  useClass,
  useExisting,
}: OAuth2ModuleAsyncOptions): Provider[] {
  const provide = OAUTH2_OPTIONS;
  if (useFactory) return [{ provide, useFactory, inject }];
  const factory = useExisting ?? useClass;
  if (!factory) {
    const fault = 'OAuth2Module.forRootAsync() needs `useFactory`, `useClass` or `useExisting` to get its options from';
    return [{ provide, useFactory: () => verify(false, fault) }];
  }
  const fromFactory: Provider = {
    provide,
    inject: [factory],
    useFactory: (maker: OAuth2OptionsFactory) => maker.createOAuth2Options(),
  };
  return useExisting || !useClass ? [fromFactory] : [useClass, fromFactory];
}
