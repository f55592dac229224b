import { assertConfig, configurationError, findMissingMethods, type MethodRequirement } from '../../lib/internal.js';
import type { Model, ModelMethod } from '../../lib/index.js';
import type { OAuth2Options } from '../interfaces/oauth2-module-options.interface.js';
import { checkMethods } from './model-methods.js';

const CODE_METHODS = [
  'saveAuthorizationCode',
  'getAuthorizationCode',
  'revokeAuthorizationCode',
] as const satisfies readonly ModelMethod[];

/**
 * Verifies that the model is an object, that its model methods are functions, and that no method name is misspelled.
 * @throws {InvalidArgumentError} If the model is invalid.
 */
export function checkModel(model: unknown): asserts model is Model {
  assertConfig(
    model !== undefined && model !== null,
    'OAuth2Module requires the option `model`: a class, an instance or a provider',
  );
  assertConfig(
    typeof model !== 'function',
    'the `model` that the factory returns is a class: return an instance, or pass the class to forRootAsync() next to the factory',
  );
  assertConfig(typeof model === 'object', 'the option `model` must be a class, an instance or a provider');
  checkMethods(model as Model);
}

/**
 * Returns the model methods that the module's options require, and those that other methods of the model require. For
 * example, `getRefreshToken()` requires `revokeToken()`.
 * @param servesEndpoints whether the module serves the authorization and token endpoints
 */
export function requirementsOf(
  model: Model,
  { authenticateHandler, grantLifetime, refreshTokenReuseInterval }: OAuth2Options,
  servesEndpoints: boolean,
): MethodRequirement[] {
  const requirements: MethodRequirement[] = [];
  const addRequirement = (neededBy: string, methods: readonly ModelMethod[], alternative: string) =>
    requirements.push({ neededBy, methods, alternative });
  if (servesEndpoints) {
    addRequirement(
      'the token endpoint',
      ['getClient', 'saveToken'],
      'set `controllers: false` if this API only checks tokens',
    );
  }
  const codes = CODE_METHODS.find((method) => has(model, method));
  if (codes) addRequirement(`\`${codes}()\``, CODE_METHODS, `leave \`${codes}()\` out too`);
  else if (servesEndpoints && authenticateHandler) requirements.push(codesFor('authenticateHandler'));
  if (has(model, 'getRefreshToken'))
    addRequirement('`getRefreshToken()`', ['revokeToken'], 'leave `getRefreshToken()` out too');
  if (Number(grantLifetime) > 0)
    addRequirement('the option `grantLifetime`', ['revokeGrant'], 'leave `grantLifetime` out');
  if (refreshTokenReuseInterval && Number(refreshTokenReuseInterval) !== 0) {
    addRequirement(
      'the option `refreshTokenReuseInterval`',
      ['revokeGrant', 'redeem'],
      'leave `refreshTokenReuseInterval` out',
    );
  }
  return requirements;
}

/**
 * Verifies that a model can store authorization codes, which an interaction requires.
 * @throws {InvalidArgumentError} If a method is missing.
 */
export function requireCodes(model: Model, option: 'interaction'): void {
  const error = findMissingMethods(model, [codesFor(option)]);
  if (error !== undefined) throw configurationError(error);
}

const codesFor = (option: 'authenticateHandler' | 'interaction'): MethodRequirement => ({
  neededBy: `the option \`${option}\``,
  methods: CODE_METHODS,
  alternative: `leave \`${option}\` out`,
});

const has = (model: object, method: ModelMethod) => typeof (model as Record<string, unknown>)[method] === 'function';
