import type { InjectionToken, Provider, Type } from '@nestjs/common';
import { isProvider } from '../configuration/option-kinds.js';
import { allFeatures } from '../../lib/adapter/index.js';
import type { FeatureList } from '../../lib/index.js';
import { findInteractionDeclaration } from '../interaction/interactive-feature.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';
import { OAUTH2_FEATURE_INSTANCE } from '../oauth2.tokens.js';

/** What the host gave as a class, an instance or a provider: made by Nest, or used as it is. */
export function optionProvider(option: string, provide: InjectionToken, value: ProviderOption<object>): Provider {
  if (typeof value === 'function') return { provide, useClass: named(value as Type<object>, option) };
  return isProvider(value) ? ({ ...value, provide } as Provider) : { provide, useValue: value };
}

/** What the feature that asks users has Nest make. */
export function featureProvider(features?: FeatureList): Provider {
  const { providerOption: given } = findInteractionDeclaration(allFeatures(features)) ?? {};
  if (!given) return { provide: OAUTH2_FEATURE_INSTANCE, useValue: undefined };
  return optionProvider(given.option, OAUTH2_FEATURE_INSTANCE, given.value);
}

/**
 * The same class under a longer name, which Nest uses when it cannot make an instance: where to give what is missing is
 * told there. What it makes is an instance of the class itself.
 */
function named(given: Type<object>, option: string): Type<object> {
  const renamed = function (...args: unknown[]): object {
    return Reflect.construct(given, args);
  };
  Object.setPrototypeOf(renamed, given);
  renamed.prototype = given.prototype as object;
  const remedy = 'give what it injects by `imports` or `extraProviders` of OAuth2Module';
  return Object.defineProperty(renamed, 'name', { value: `${given.name} [the \`${option}\`: ${remedy}]` }) as never;
}
