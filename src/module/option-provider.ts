import type { InjectionToken, Provider, Type } from '@nestjs/common';

import { isProvider } from '../../lib/internal.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';

/** Returns the provider for an option that takes a class, an instance or a provider. */
export function optionProvider(option: string, provide: InjectionToken, value: ProviderOption<object>): Provider {
  if (typeof value === 'function') return { provide, useClass: withLongName(value as Type<object>, option) };
  return isProvider(value) ? ({ ...value, provide } as Provider) : { provide, useValue: value };
}

/**
 * Returns the class under a longer name that tells how to resolve missing dependencies, because Nest prints the name
 * when it cannot make an instance. Instances belong to the original class.
 */
function withLongName(original: Type<object>, option: string): Type<object> {
  const renamed = function (...args: unknown[]): object {
    return Reflect.construct(original, args);
  };
  Object.setPrototypeOf(renamed, original);
  renamed.prototype = original.prototype as object;
  const remedy = 'add its dependencies to `imports` or `extraProviders` of OAuth2Module';
  return Object.defineProperty(renamed, 'name', { value: `${original.name} [the \`${option}\`: ${remedy}]` }) as never;
}
