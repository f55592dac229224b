import type { Type } from '@nestjs/common';

import { isOAuthGuard, OAuthGuard } from './oauth.guard.js';

/** A route with all its guards, in the order in which Nest calls them. */
interface GuardedRoute {
  readonly name: string;
  readonly handler: object;
  readonly guards: readonly unknown[];
}

const READS_USER =
  /(?:\breq|\brequest|\bgetRequest\(\))\??\.user\b(?!\s*=[^=])|\{[^{}()]*\buser\b[^{}()]*\}\s*=[^;\n]*(?:\breq|\brequest|\bgetRequest\(\))\s*[;,\n]/i;
const READS_TOKEN = /(?:\breq|\brequest|\bgetRequest\(\))\??\.oauth2\b/i;
const SETS_USER = /\.user\s*=[^=]|\]\s*=\s*user\b/;

/**
 * Returns what is wrong if a guard or the handler of a route reads a user that the request does not have: before
 * `OAuthGuard` has run, or in `request.user`, which `OAuthGuard` does not set. It reads the source text of functions, so
 * it finds the usual expressions only. `undefined` if another guard sets `request.user`.
 */
export function findUserReader({ name, handler, guards }: GuardedRoute): string | undefined {
  const position = guards.findIndex(isOAuthGuard);
  if (position === -1 || guards.some((guard) => SETS_USER.test(sourceOf(classOf(guard))))) return undefined;
  const isReader = (guard: unknown) => READS_USER.test(sourceOf(classOf(guard)));
  const early = guards
    .slice(0, position)
    .find((guard) => isReader(guard) || READS_TOKEN.test(sourceOf(classOf(guard))));
  if (early !== undefined) {
    const reader = classOf(early).name;
    return (
      `${reader} runs before OAuthGuard at ${name}, so the request has no user yet: write \`@UseGuards(OAuthGuard, ${reader})\`, and ` +
      'read `request.oauth2.token.user`.'
    );
  }
  const reader = guards.find((guard) => !isOAuthGuard(guard) && isReader(guard));
  if (reader === undefined && !READS_USER.test(String(handler))) return undefined;
  return (
    `${reader === undefined ? name : classOf(reader).name} reads \`request.user\`, which OAuthGuard does not set: use \`@CurrentUser()\` ` +
    'and `@Roles()`, or read `request.oauth2.token.user`. If a middleware sets it, ignore this.'
  );
}

/** Returns the class of a guard, which is a class or an instance. */
const classOf = (guard: unknown): Type => (typeof guard === 'function' ? guard : Object(guard).constructor) as Type;

/** Returns the source text of a class and the classes that it extends, except for `OAuthGuard`. */
function sourceOf(type: Type): string {
  if (typeof type !== 'function' || type === OAuthGuard || type === Function.prototype || type === Object) return '';
  return String(type) + sourceOf(Object.getPrototypeOf(type) as Type);
}
