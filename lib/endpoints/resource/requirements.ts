import { isClientItself } from '../../tokens/client-subject.js';
import { InsufficientScopeError, type OAuthError } from '../../errors/index.js';
import type { Awaitable, Falsy, Scope, Token } from '../../model/model.js';
import type { Options } from '../../options/resolve-options.js';
import { type TokenRequirements, verifyTokenRequirements } from '../../options/token-requirements.js';
import { coversScope, scopeForModel } from '../../tokens/scope.js';
import { acceptsPersonalTokens, isPersonalToken, NO_PERSONAL_TOKEN } from './personal-tokens.js';
import { isPrincipal } from './principal.js';
import type { Requirement } from './requirement.js';
import { hasStepUp, stepUpError } from './user-authentication.js';

/**
 * Returns the requirements of a call of `authenticate()`, in the order in which they are verified.
 * @param scope The required scope, as text.
 * @throws {InvalidArgumentError} If a requirement has an invalid value.
 */
export function requirementsOf(
  options: Options & TokenRequirements,
  scope: string | undefined,
): readonly Requirement[] {
  verifyTokenRequirements(options);
  const { anyScope, userRequired, roles, stepUp } = options;
  return [
    ...(acceptsPersonalTokens(options, scope) ? [] : [NO_PERSONAL_TOKEN]),
    ...(scope ? [allOf(scope, options)] : []),
    ...(anyScope ? [anyOf(anyScope, options)] : []),
    ...(userRequired ? [USER] : []),
    ...(roles ? [anyRoleOf(roles)] : []),
    ...(stepUp ? [authenticatedBy(stepUp)] : []),
  ];
}

/** Returns the requirement that the token has all values of a scope. RFC 6750 §3.1 */
const allOf = (scope: string, options: Options): Requirement => ({
  scope,
  isMet: (token) => hasScope(token, scope, options),
  createError: insufficientScope,
});

/** Returns the requirement that the token has at least one of several scope values. RFC 6750 §3.1 */
function anyOf(values: readonly string[], options: Options): Requirement {
  async function isMetByModel(token: Token): Promise<boolean> {
    for (const value of values) if (await hasScope(token, value, options)) return true;
    return false;
  }
  return {
    scope: values.join(' '),
    isMet: (token) =>
      options.model.verifyScope && !isForeign(token)
        ? isMetByModel(token)
        : values.some((value) => coversScope(token.scope, value)),
    createError: insufficientScope,
  };
}

/** Whether a token was not issued by `saveToken()` of the model: a login session or a personal access token. */
const isForeign = (token: Token): boolean => isPrincipal(token) || isPersonalToken(token);

/** Whether the token has the scope. If the model has `verifyScope()`, the model decides, except on foreign tokens. */
function hasScope(token: Token, scope: string, { model, scopeFormat }: Options): Awaitable<boolean | Falsy> {
  if (!model.verifyScope || isForeign(token)) return coversScope(token.scope, scope);
  return model.verifyScope(token, scopeForModel(scope, scopeFormat) as Scope);
}

const insufficientScope = () => new InsufficientScopeError('Insufficient scope: authorized scope is insufficient');

/** The requirement that the token was issued for a user, not for the client itself. RFC 9700 §4.15 */
const USER: Requirement = {
  scope: undefined,
  isMet: ({ user }) => !isClientItself(user),
  createError: userRequiredError,
};

/** Returns the error for a token of the client itself, if the route requires a user. RFC 9700 §4.15 */
export function userRequiredError(): OAuthError {
  const detail = {
    reason: 'token was issued for the client itself, and the route requires a user',
    given: 'a client credentials token',
    remedy: 'send a token that a user has authorized, or let the route work without a user',
  };
  const message =
    'Insufficient scope: a user is required, and this token belongs to the client itself: send one that a user has authorized';
  return new InsufficientScopeError(message).because(detail);
}

/** Returns the requirement that the user has at least one of these roles. */
const anyRoleOf = (roles: readonly string[]): Requirement => ({
  scope: undefined,
  isMet: (token) => rolesOf(token).some((role) => roles.includes(role)),
  createError(token) {
    const detail = {
      reason: 'user has none of the required roles',
      expected: roles.join(' '),
      given: rolesOf(token).join(' '),
      remedy: 'let `findById()` return the user with `roles`, a list of texts that contains one of them',
    };
    return new InsufficientScopeError('Insufficient scope: the user lacks a required role').because(detail);
  },
});

/** Returns the role names of the user. Empty if the user has no list `roles`. Roles that are objects are ignored. */
function rolesOf({ user }: Token): readonly string[] {
  const { roles }: { roles?: unknown } = user;
  return Array.isArray(roles) ? roles.filter((role): role is string => typeof role === 'string') : [];
}

/** Returns the requirement that the user's authentication is strong and recent enough for the route. RFC 9470 §3 */
const authenticatedBy = (stepUp: NonNullable<TokenRequirements['stepUp']>): Requirement => ({
  scope: undefined,
  isMet: (token) => hasStepUp(token, stepUp),
  createError: (token) => stepUpError(token, stepUp),
});
