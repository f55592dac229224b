import type { Feature } from '../../contracts/feature.js';
import { PERSONAL_TOKEN_SOURCE } from '../../endpoints/resource/personal-tokens.js';
import type { User } from '../../model/model.js';
import type { PersonalTokenModel } from '../../model/personal-tokens.js';
import { type PersonalAccessTokenOptions, resolvePersonalTokens } from './options.js';
import { PERSONAL_TOKENS, PersonalTokens } from './personal-tokens.js';

const METHODS = [
  'savePersonalToken',
  'findPersonalToken',
  'recordPersonalTokenUse',
  'listPersonalTokens',
  'revokePersonalToken',
] as const satisfies readonly (keyof PersonalTokenModel)[];

/**
 * Adds personal access tokens (API keys): tokens that users create for their own scripts. `OAuthGuard` accepts them on
 * routes that require a scope. `accounts({ personalAccessTokens })` adds this feature with a section of the account page.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function personalAccessTokens<U extends User = User>(options: PersonalAccessTokenOptions<U>): Feature {
  const settings = resolvePersonalTokens(options as object as PersonalAccessTokenOptions);
  return {
    id: 'personalAccessTokens',
    requires: METHODS,
    settings: { ...settings, scopesOf: undefined },
    install(builder) {
      builder.provide(PERSONAL_TOKENS, () => new PersonalTokens(builder.server, settings));
      builder.provide(PERSONAL_TOKEN_SOURCE, () => builder.server.find(PERSONAL_TOKENS)!);
    },
  };
}
