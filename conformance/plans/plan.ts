import type { OAuth2Server } from 'nest-oauth2';

import type { HostSettings } from '../host/host.js';
import type { KeyGenerators } from './keys.js';

/** A plan of the suite, the server or client under test, and the suite's configuration. */
export interface ConformancePlan {
  /** The name of the plan on the command line, and its alias in the suite. */
  readonly name: string;
  /** The suite's name of the plan. */
  readonly plan: string;
  /** The variants that the plan leaves open. The suite rejects variants that the plan sets itself. */
  readonly variant: Readonly<Record<string, string>>;
  /** How the server differs from other plans with the same variants, such as `DPoP nonces required`. */
  readonly note?: string;
  /** Seconds to wait before a module. */
  readonly pauses?: Readonly<Record<string, number>>;
  /** Generates the keys and the clients of a run. */
  prepare(stage: Stage): Promise<Prepared>;
}

/** The URLs of the server and of the suite. */
export interface Stage {
  issuer: string;
  suite: string;
  /** The platform of applications that a plan starts itself. Default: `express`. */
  platform?: 'express' | 'fastify';
  /** Functions that generate keys and certificates. Default: new ones for each run. */
  generators?: KeyGenerators;
}

/** The settings of the server and of the suite for a run. */
export interface Prepared {
  /** The settings of the server. Plans for clients have none. */
  host?: HostSettings;
  /** The configuration of the plan, with the members of the suite's form. */
  configuration: object;
  /** Actions at the server that modules wait for, by the name of the module. */
  meanwhile?: Readonly<Record<string, (server: OAuth2Server) => Promise<unknown>>>;
  /**
   * Starts the client under test and signs in, for modules that wait for a client.
   * @throws {Error} If the client accepts a response that it must refuse, or refuses a valid one.
   */
  visit?: (module: string) => Promise<void>;
}
