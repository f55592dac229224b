import type { Type } from '@nestjs/common';

import { isClass, isProvider, type OptionCheck, optionCheck, SECONDS } from '../../lib/internal.js';
import { isObject } from './is-object.js';

type Values = Readonly<Record<string, unknown>>;

/** Validates the `name` of a server, which is part of error messages and injection tokens. */
export const NAME = optionCheck<string>(
  "a word such as 'partners'",
  (value) => typeof value === 'string' && /^[\w.-]+$/.test(value),
);
export const LIST = optionCheck<unknown[]>('a list', Array.isArray);
export const CLASS = optionCheck<object>('a class', isClass);
export const FUNCTION = optionCheck<object>('a function', (value) => typeof value === 'function');
export const INJECTION_TOKEN = optionCheck<unknown>('an injection token', Boolean);

/** Validates the option `tenantCache`. */
export const TENANT_CACHE: OptionCheck = (value, name) => {
  if (!isObject(value)) return `the option \`${name}\` must be an object such as \`{ max: 1000, timeToLive: 300 }\``;
  const unknown = Object.keys(value).find((key) => !['max', 'timeToLive', 'deadline'].includes(key));
  if (unknown !== undefined)
    return `unknown option \`${name}.${unknown}\`: the known ones are \`max\`, \`timeToLive\` and \`deadline\``;
  return findOptionError(value, { max: COUNT, timeToLive: SECONDS, deadline: SECONDS }, { prefix: `${name}.` });
};

const COUNT = optionCheck<number>('an integer of 1 or more', (value) => Number.isInteger(value) && Number(value) > 0);

/** The metadata keys of the types of constructor parameters, and of `@Inject()` at constructor parameters. */
const PARAMETERS = ['design:paramtypes', 'self:paramtypes'];

/**
 * Returns the error for a class whose constructor has parameters that Nest cannot inject, such as that of a store. Nest
 * would pass none.
 */
function findClassError(value: Type, name: string): string | undefined {
  const isInjectable = PARAMETERS.some((key) => Reflect.hasMetadata(key, value));
  if (value.length === 0 || isInjectable) return undefined;
  return `the option \`${name}\` is the class \`${value.name}\`, whose constructor has parameters that Nest cannot inject: pass an instance, \`new ${value.name}(…)\`, or \`{ inject, useFactory }\``;
}

/** The validators of the members of a Nest provider, such as `useClass` and `inject`. */
const PROVIDER: Readonly<Record<string, OptionCheck>> = {
  inject: LIST,
  useClass: (value, name, beside) => CLASS(value, name, beside) ?? findClassError(value as Type, name),
  useExisting: INJECTION_TOKEN,
  useFactory: FUNCTION,
  useValue: () => undefined,
};

const SOURCES = Object.keys(PROVIDER).filter((name) => name.startsWith('use'));

/** Validates an option that takes a class, an instance or a Nest provider. `null` counts as unset. */
export const PROVIDER_OPTION: OptionCheck = (value, name) => {
  if (value === null) return undefined;
  if (isClass(value)) return findClassError(value as Type, name);
  const problem = `the option \`${name}\` must be a class, an instance or a provider`;
  if (typeof value === 'function') return `${problem}: pass a function as \`{ useFactory }\``;
  if (!isObject(value)) return problem;
  for (const key of Object.keys(value)) {
    const meant = SOURCES.find((source) => source.toLowerCase() === key.toLowerCase());
    if (meant !== undefined && meant !== key) return `${problem}: replace \`${key}\` by \`${meant}\``;
  }
  return isProvider(value) ? findOptionError(value, PROVIDER, { prefix: `${name}.` }) : undefined;
};

/**
 * Returns the first configuration error among options, or `undefined`. It skips options that are `undefined` and
 * options without a validator.
 */
export function findOptionError(
  options: object,
  kinds: Readonly<Record<string, OptionCheck>>,
  { prefix = '', beside = options as Values }: { prefix?: string; beside?: Values } = {},
): string | undefined {
  const values = options as Values;
  for (const [name, kind] of Object.entries(kinds)) {
    const error = values[name] === undefined ? undefined : kind(values[name], prefix + name, beside);
    if (error !== undefined) return error;
  }
  return undefined;
}
