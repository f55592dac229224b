import { type Declaration, declaration, findDeclared } from '../../lib/adapter/index.js';
import { capability, type Feature, type ServerContext } from '../../lib/index.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { SessionOperations } from './session-operations.js';

/**
 * The interaction that a feature such as `pages()` provides, for servers without an `interaction` of the application.
 */
export interface InteractionFactory {
  /** Returns the interaction. */
  make(): OAuth2Interaction;
  /** Returns the operations of `OAuth2Sessions`. */
  sessions(): SessionOperations;
  /**
   * Receives the instance that Nest has made for the option in `declareInteraction()`, such as `secondFactor.by`.
   * @throws {InvalidArgumentError} If the instance lacks a method.
   */
  useInstance?(instance: object): void;
}

/** The capability key under which a feature such as `pages()` provides the login and consent of a server. */
export const INTERACTION = capability<InteractionFactory>('interaction', 'pages');

/** An option of a feature for which Nest makes an instance. */
interface DeclaredOption {
  readonly option: string;
  readonly value: ProviderOption<object>;
}

/** The declaration of a feature that provides an interaction. The module reads it before a server exists. */
interface InteractionDeclaration {
  readonly providerOption: DeclaredOption | undefined;
}

const DECLARED_INTERACTION = capability<InteractionDeclaration>('interactive feature', 'pages');

/**
 * Returns the declaration of a feature that provides `INTERACTION`, with the option for which Nest makes an instance.
 */
export const declareInteraction = (providerOption?: DeclaredOption): readonly Declaration[] => [
  declaration(DECLARED_INTERACTION, { providerOption }),
];

/** Returns the declaration of the feature that provides an interaction. `undefined` if no feature does. */
export const findInteractionDeclaration = (features: readonly Feature[]): InteractionDeclaration | undefined =>
  findDeclared(features, DECLARED_INTERACTION);

/** Returns the interaction that a feature of the server provides. `undefined` if no feature does. */
// A mock server of a test may have no context.
export const makeInteraction = (server: ServerContext | undefined): OAuth2Interaction | undefined =>
  server?.find(INTERACTION)?.make();

/** Passes the instance that Nest has made to the feature that provides the interaction. */
export function passInstance(server: ServerContext, instance: object | undefined): void {
  if (instance !== undefined) server.find(INTERACTION)?.useInstance?.(instance);
}
