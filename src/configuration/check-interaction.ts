import { assertConfig, OPENID } from '../../lib/adapter/index.js';
import type { Model, ServerContext } from '../../lib/index.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { OAuth2Options } from '../interfaces/oauth2-module-options.interface.js';
import { requireCodes } from './check-model.js';

const METHODS = {
  findUser: 'to say who is signed in',
  login: 'to send the user to your login page',
  consent: 'to ask the user whether they agree',
} as const;

const OPTIONAL = ['howSignedIn', 'hasConsented', 'saveConsent', 'showError'] as const;

/** Clients may want a login that is no older than so many seconds. OpenID Connect Core §3.1.2.1 (`max_age`) */
const NO_HOW_SIGNED_IN =
  '`openid()` tells clients when users signed in: give the interaction a method `howSignedIn()` that returns `{ authTime }`';

const SECRET = 'the option `secret` signs the consent forms of `pages()` or your `interaction`';

/** Checks that an interaction is whole, and returns the secret its tickets are signed with. */
export function checkInteraction(
  interaction: OAuth2Interaction,
  { authenticateHandler, secret }: OAuth2Options,
  { model, server }: { model: Model | undefined; server: ServerContext | undefined },
): string {
  assertConfig(typeof interaction === 'object', 'the option `interaction` must be a class, an instance or a provider');
  for (const [method, purpose] of Object.entries(METHODS)) {
    const has = typeof interaction[method as keyof typeof METHODS] === 'function';
    assertConfig(has, `the interaction has no method \`${method}()\`: implement it ${purpose}`);
  }
  for (const name of OPTIONAL) {
    const isMethod = typeof interaction[name] === 'function';
    assertConfig(
      isMethod || (interaction[name] ?? undefined) === undefined,
      `the interaction's \`${name}\` must be a method`,
    );
  }
  const isSilent = server?.find(OPENID) !== undefined && !interaction.howSignedIn;
  assertConfig(!isSilent, NO_HOW_SIGNED_IN);
  assertConfig(
    !authenticateHandler,
    'give either `interaction` or `authenticateHandler`, not both: each finds the user',
  );
  assertConfig(
    typeof secret === 'string',
    `${SECRET}: give one of 32 or more random characters, the same in every process`,
  );
  assertConfig(secret.length >= 32, `${SECRET} and is too short: give one of 32 or more random characters`);
  if (model) requireCodes(model, 'interaction');
  return secret;
}
