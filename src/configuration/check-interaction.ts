import { assertConfig, LATE, OPENID } from '../../lib/internal.js';
import type { Model, ServerContext } from '../../lib/index.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { OAuth2Options } from '../interfaces/oauth2-module-options.interface.js';
import { moduleSecrets } from '../module/module-feature.js';
import { requireCodes } from './check-model.js';

const METHODS = {
  findUser: 'to return the signed-in user',
  login: 'to send the user to your login page',
  consent: 'to ask the user for consent',
} as const;

const OPTIONAL = ['howSignedIn', 'hasConsented', 'optionalScopes', 'saveConsent', 'showError'] as const;

/**
 * The message if `openid()` is installed and the interaction has no `howSignedIn()`. Clients may request a maximum age
 * of the login. OpenID Connect Core §3.1.2.1 (`max_age`)
 */
const NO_HOW_SIGNED_IN =
  '`openid()` reports to clients when users signed in: add a method `howSignedIn()` that returns `{ authTime }` to the interaction';

const SECRET = 'the option `secret`, which signs the CSRF tokens of consent forms,';

/**
 * Verifies an interaction and the options that it needs, and returns the secrets that sign its CSRF tokens, the newest first.
 * @throws {InvalidArgumentError} If a method or option is missing or invalid.
 */
export function checkInteraction(
  interaction: OAuth2Interaction,
  { authenticateHandler, config, secret }: OAuth2Options,
  { model, server }: { model: Model | undefined; server: ServerContext | undefined },
): readonly string[] {
  assertConfig(typeof interaction === 'object', 'the option `interaction` must be a class, an instance or a provider');
  for (const [method, purpose] of Object.entries(METHODS)) {
    const has = typeof interaction[method as keyof typeof METHODS] === 'function';
    assertConfig(has, `the interaction has no method \`${method}()\`: implement it ${purpose}`);
  }
  for (const name of OPTIONAL) {
    const isMethod = typeof interaction[name] === 'function';
    assertConfig(
      isMethod || (interaction[name] ?? undefined) === undefined,
      `the member \`${name}\` of the interaction must be a method: implement or remove it`,
    );
  }
  const isSilent = server?.find(OPENID) !== undefined && !interaction.howSignedIn;
  assertConfig(!isSilent, NO_HOW_SIGNED_IN);
  assertConfig(
    !authenticateHandler,
    'set either `interaction` or `authenticateHandler`, not both: each of them finds the user',
  );
  assertConfig(
    secret !== undefined,
    `${SECRET} is missing: set it to at least 32 random characters, the same in every process. ${LATE}`,
  );
  if (model) requireCodes(model, 'interaction');
  return moduleSecrets(secret, config);
}
