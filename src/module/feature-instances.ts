import type { Provider } from '@nestjs/common';

import {
  allFeatures,
  configurationError,
  type Instances,
  verifyInstance,
  type Feature,
  type Injection,
} from '../../lib/internal.js';
import type { FeatureList } from '../../lib/index.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';
import { optionProvider } from './option-provider.js';

/**
 * The instances that Nest has made for the options of the features of one import. All tenants of an import share them.
 * They exist after the server, so that an instance may inject the server.
 */
export class FeatureInstances implements Instances {
  private readonly made = new Map<Injection, object>();

  /** @throws {InvalidArgumentError} If the instance lacks a method. */
  set(feature: Feature, injection: Injection, instance: unknown): void {
    this.made.set(injection, verifyInstance(feature, injection, instance));
  }

  get(injection: Injection): object {
    const instance = this.made.get(injection);
    if (instance) return instance;
    throw configurationError(
      `there is no instance for the option \`${injection.option}\` of a feature: it must not be request-scoped, and ` +
        'is available once the application has started',
    );
  }
}

/**
 * Returns the providers of the instances of all options of the features, and a provider that verifies them and passes
 * them to `FeatureInstances`.
 */
export function instanceProviders(features: FeatureList | undefined): Provider[] {
  const all = allFeatures(features).flatMap((feature) =>
    (feature.injects ?? []).map((injection) => ({ feature, injection, token: Symbol(injection.option) })),
  );
  return [
    FeatureInstances,
    ...all.map(({ injection: { option, value }, token }) =>
      optionProvider(option, token, value as ProviderOption<object>),
    ),
    {
      provide: Symbol('instances of the features'),
      inject: [FeatureInstances, ...all.map(({ token }) => token)],
      useFactory(instances: FeatureInstances, ...made: unknown[]) {
        for (const [at, { feature, injection }] of all.entries()) instances.set(feature, injection, made[at]);
        return instances;
      },
    },
  ];
}
