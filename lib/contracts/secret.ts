import { configurationError } from '../errors/configuration-error.js';
import { optionOf, type ValueCheck } from '../options/option-table.js';
import { type Capabilities, capability } from './capability.js';
import { MODULE_STATE } from './module-state.js';

/**
 * A secret of a server: a text of at least 32 characters, the same in every process. In a list, the first secret signs
 * and encrypts, and all of them verify and decrypt, so that secrets can be rotated. A function is called when the
 * server is made, not when the file is loaded. It receives the option `config` of the module, such as the
 * `ConfigService` of `@nestjs/config`.
 */
// oxlint-disable-next-line no-explicit-any
export type Secret = SecretTexts | ((config: any) => SecretTexts);

type SecretTexts = string | readonly string[];

/** The capability key of the option `secret` of the module, as a list. */
export const SERVER_SECRETS = capability<readonly string[]>('server secret', 'OAuth2Module');

/** The capability key of the secrets by which all servers with the same model encrypt what it stores. */
export const MODEL_SECRETS = capability<readonly string[]>('secret of the model', 'OAuth2Module');

/** Texts of examples and templates, which a random secret does not contain, and texts that repeat a part. */
const PLACEHOLDER =
  /change.?(?:me|this|it)|your.{0,12}secret|secret.?here|placeholder|replace.?(?:me|this|with)|random.?char|^(.+?)\1+$/i;

/** Whether a secret is the text of an example, which the developer should have replaced. */
export const isPlaceholder = (secret: string): boolean => PLACEHOLDER.test(secret);

/**
 * Returns the value of a setting, which may be a function of the option `config`.
 * @throws {InvalidArgumentError} If the function throws a `TypeError`, and `config` is not set.
 */
export function settingOf<T>(setting: T | ((config: never) => T), server: Pick<Capabilities, 'find'>): T {
  if (typeof setting !== 'function') return setting;
  const config = server.find(MODULE_STATE)?.config;
  try {
    return (setting as (config: unknown) => T)(config);
  } catch (error) {
    if (config !== undefined || !(error instanceof TypeError)) throw error;
    throw configurationError(
      `a function in the options of a feature reads the option \`config\`, which is not set: return it from the factory, as \`config: configService\`. ${error.message}`,
    );
  }
}

/**
 * Returns the secrets of an option as a list, the newest first.
 * @param name The option as error messages name it, such as `` `secret` of `keys()` ``.
 * @throws {InvalidArgumentError} If a secret is missing or has fewer than 32 characters.
 */
export function secretsOf(secret: Secret, name: string, server: Pick<Capabilities, 'find'>): readonly string[] {
  const secrets = [settingOf<SecretTexts>(secret, server) ?? []].flat();
  const error = findSecretError(secrets, name);
  if (error !== undefined) throw configurationError(error);
  return secrets;
}

/**
 * Returns the error message for an option that takes a secret, or `undefined` if the secret is valid or a function,
 * which is not called here.
 */
export function findSecretError(secret: unknown, name: string): string | undefined {
  if (typeof secret === 'function') return undefined;
  const secrets: unknown[] = [secret ?? []].flat();
  if (secrets.length === 0) return `${name} is not set. ${LATE}`;
  const isValid = secrets.every((one) => typeof one === 'string' && one.length >= 32);
  return isValid ? undefined : `${name} must be a text of at least 32 random characters, or a list of such texts`;
}

/** Accepts secrets, as the option of a feature. */
export const SECRET: ValueCheck<Secret> = (value, name, owner) => findSecretError(value, optionOf(name, owner));

/** The reason for and the remedy against a variable of `.env` that is read too early. */
export const LATE =
  'A file that is loaded before `ConfigModule` does not see the variables of `.env`: pass a function, such as `() => process.env.OAUTH2_SECRET!`';
