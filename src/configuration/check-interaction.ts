import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { OAuth2Options } from '../interfaces/oauth2-module-options.interface.js';
import { verify } from './check-options.js';

const METHODS = {
  findUser: 'to say who is signed in',
  login: 'to send the user to your login page',
  consent: 'to ask the user whether they agree',
} as const;

const SECRET = 'the option `secret` signs the consent forms of your `interaction`';

/** Checks that an interaction is whole, and returns the secret its tickets are signed with. */
export function checkInteraction(
  interaction: OAuth2Interaction,
  { authenticateHandler, secret }: OAuth2Options,
): string {
  verify(typeof interaction === 'object', 'the option `interaction` must be a class, an instance or a provider');
  for (const [method, purpose] of Object.entries(METHODS)) {
    const has = typeof interaction[method as keyof typeof METHODS] === 'function';
    verify(has, `the interaction has no method \`${method}()\`: implement it ${purpose}`);
  }
  verify(!authenticateHandler, 'give either `interaction` or `authenticateHandler`, not both: each finds the user');
  verify(typeof secret === 'string', `${SECRET}: give one of 32 or more random characters, the same in every process`);
  verify(secret.length >= 32, `${SECRET} and is too short: give one of 32 or more random characters`);
  return secret;
}
