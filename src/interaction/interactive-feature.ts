import { type Declaration, declaration, findDeclared } from '../../lib/adapter/index.js';
import { capability, type Feature, type ServerContext } from '../../lib/index.js';
import type { ProviderOption } from '../interfaces/oauth2-module-options.interface.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { SessionOperations } from './session-operations.js';

/** How a feature asks the users of one server, if the application has no interaction of its own. */
export interface InteractionFactory {
  /** Makes the interaction. */
  make(): OAuth2Interaction;
  /** Makes the operations of `OAuth2Sessions`. */
  sessions(): SessionOperations;
  /** Takes what Nest has made of the `given` option. @throws {InvalidArgumentError} If it lacks a method. */
  useInstance?(instance: object): void;
}

/** The interaction that a feature provides. */
export const INTERACTION = capability<InteractionFactory>('interaction', 'pages');

/** An option of the feature for which Nest makes an instance. */
interface DeclaredOption {
  readonly option: string;
  readonly value: ProviderOption<object>;
}

/** The declaration of an interactive feature, which the module reads before there is a server. */
interface Interactive {
  readonly providerOption: DeclaredOption | undefined;
}

const INTERACTIVE = capability<Interactive>('interactive feature', 'pages');

/** Declares that a feature provides `INTERACTION`, and for which of its options Nest makes an instance. */
export const declareInteraction = (given?: DeclaredOption): readonly Declaration[] => [
  declaration(INTERACTIVE, { providerOption: given }),
];

/** Returns the declaration of the feature that asks users. `undefined`: no feature does. */
export const findInteractionDeclaration = (features: readonly Feature[]): Interactive | undefined =>
  findDeclared(features, INTERACTIVE);

/** Returns the interaction of the feature that asks the users of a server. `undefined`: no feature does. */
// A server that a test has replaced may have no facts.
export const makeInteraction = (server: ServerContext | undefined): OAuth2Interaction | undefined =>
  server?.find(INTERACTION)?.make();

/** Gives the feature that asks the users of a server what Nest has made for it. */
export function passInstance(server: ServerContext, instance: object | undefined): void {
  if (instance !== undefined) server.find(INTERACTION)?.useInstance?.(instance);
}
