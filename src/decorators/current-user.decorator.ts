import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { isClientItself, type User } from '../../lib/index.js';
import { findToken } from '../guards/execution-context.js';
import { rejectMissingUser } from '../guards/missing-user.js';
import type { ParameterPipe } from './parameter-pipe.js';
import { addUserParameter } from './user-parameters.js';

/** The options of `@CurrentUser()`. */
export interface CurrentUserOptions {
  /** Whether the route also accepts tokens without a user. The parameter is then `undefined`. */
  optional: true;
}

/** A decorator of a parameter whose type includes `undefined`. */
export type OptionalParameterDecorator = <T extends object, K extends string | symbol, I extends number>(
  target: T,
  key: K,
  index: I & (T extends Record<K, (...parameters: infer P) => unknown> ? AcceptsUndefined<P[I & keyof P]> : unknown),
) => void;

/** `unknown` if a type includes `undefined`. Otherwise a message that fails the compilation. */
type AcceptsUndefined<T> = undefined extends T ? unknown : 'The type of an optional user must include `undefined`';

/** The signatures of `@CurrentUser()`. */
export interface CurrentUserDecorator {
  (property: string, options: CurrentUserOptions, ...pipes: ParameterPipe[]): OptionalParameterDecorator;
  (options: CurrentUserOptions, ...pipes: ParameterPipe[]): OptionalParameterDecorator;
  (property?: string | ParameterPipe, ...pipes: ParameterPipe[]): ParameterDecorator;
}

/** The user property that a parameter receives, and whether the property may be missing. */
interface UserParameter {
  readonly property: string | undefined;
  readonly isOptional: boolean;
}

const injectUser = createParamDecorator(({ property, isOptional }: UserParameter, context: ExecutionContext) => {
  const token = findToken(context, '@CurrentUser()');
  const user: User | undefined = isClientItself(token?.user) ? undefined : token?.user;
  const value: unknown = property === undefined ? user : user?.[property];
  return value === undefined && !isOptional ? rejectMissingUser(context, token, property) : value;
});

/**
 * Injects the user of the access token that `OAuthGuard` verified, or one property of the user: `@CurrentUser('id')`.
 * The route then requires a user, as with `@UserRequired()`, unless it has `@OptionalAuth()`. With `{ optional: true }`
 * it does not: the value is `undefined` if the request has no verified token, and for a token of the client credentials
 * grant, which has no user. RFC 6750, RFC 9700 §4.15
 */
export const CurrentUser: CurrentUserDecorator = (...given: readonly unknown[]): ParameterDecorator => {
  const [first, ...others] = given;
  const property = typeof first === 'string' ? first : undefined;
  const rest = property === undefined && first !== undefined ? given : others;
  const isOptional = isOptions(rest[0]);
  const pipes = (isOptional ? rest.slice(1) : rest) as ParameterPipe[];
  const inject = injectUser({ property, isOptional }, ...pipes);
  return (target, key, index) => {
    if (key !== undefined) addUserParameter(target, key, index, !isOptional);
    inject(target, key, index);
  };
};

const isOptions = (value: unknown): value is CurrentUserOptions =>
  typeof value === 'object' && value !== null && 'optional' in value && value.optional === true;
