import type { MakeModel } from '../../lib/kit/index.js';
import type { Awaitable } from '../../lib/index.js';
import type { AttackLabOptions, LabApplication } from '../testing/attack-lab/index.js';

/** The Nest application that `nest-oauth2 prove` examines and attacks. */
export interface ProvenApplication extends LabApplication {
  init(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** What `nest-oauth2 prove` examines. Export it from a file of the application. */
export interface ProofOptions {
  /** Creates the application as its main file does, with a database for tests. It must not listen yet. */
  application: () => Awaitable<ProvenApplication>;
  /** The options of the attack lab. `--seed` replaces `seed`. */
  lab?: AttackLabOptions;
  /**
   * Opens the model on an empty database or key prefix, which `--empty` names, with its schema. The model must be able
   * to list, create and remove clients. Return `{ model, user, cleanUp }` to pass a user and to close connections. If
   * omitted, the contract kit does not run.
   */
  store?: (place: string) => ReturnType<MakeModel>;
}
