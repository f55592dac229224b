import type { GrantTypeClass } from '../../model/grant-type-class.js';
import type { GrantHandler } from '../../contracts/token-request.js';
import { ServerError } from '../../errors/index.js';
import type { Token } from '../../model/model.js';
import { GrantType, type GrantTypeOptions } from './grant-type.js';
import type { IssuingRequest } from './issuing-request.js';

/**
 * Returns a grant handler that creates an instance of a grant type class of the application for each request, such as a
 * class in the option `extendedGrantTypes`. If `Class` is not a class, the handler throws a `ServerError`.
 */
export function classGrant(Class: GrantTypeClass): GrantHandler {
  if (typeof Class !== 'function') {
    return () => {
      throw new ServerError('Server error: each value of `extendedGrantTypes` must be a class');
    };
  }
  const saves = Class.prototype instanceof GrantType ? ['saveToken'] : [];
  const handle: GrantHandler = (request) =>
    new Class(settingsOf(request as IssuingRequest)).handle(request.request, request.client) as Token;
  return Object.assign(handle, { requires: [...(Class.requires ?? []), ...saves] });
}

/** Returns the settings that a grant type class is constructed with, as own properties: classes may copy them. */
const settingsOf = (request: IssuingRequest): GrantTypeOptions => ({
  accessTokenLifetime: request.accessTokenLifetime,
  refreshTokenLifetime: request.refreshTokenLifetime,
  alwaysIssueNewRefreshToken: request.options.alwaysIssueNewRefreshToken,
  complete: request.complete?.bind(request),
  format: request.format,
  grantLifetime: request.grantLifetime,
  issuer: request.issuer,
  model: request.model,
  defaultScope: request.defaultScope,
  ignorableScopes: request.ignorableScopes,
  scopeFormat: request.scopeFormat,
  scopeOptional: request.scopeOptional,
});
