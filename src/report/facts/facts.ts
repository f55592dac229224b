import type { ServerContext } from '../../../lib/index.js';
import type { SettledOptions } from '../../../lib/internal.js';
import type { ReportApplication } from './application.js';
import type { ReportClient } from './client.js';

/** A published key of a server. */
export interface ReportKey {
  readonly kid: string;
  readonly alg: string | undefined;
  /** The size of the modulus in bits. `undefined` for keys other than RSA. */
  readonly modulusBits: number | undefined;
  /** Since when the key signs. `undefined` if the application configures the keys. */
  readonly signsFrom: Date | undefined;
}

/** The model or store of a server. */
export interface ReportStore {
  /** The name of the class, such as `RedisStore`. */
  readonly kind: string;
  /** Whether the store answers. `undefined` if the model cannot be asked. */
  readonly isReachable: boolean | undefined;
  /** Whether the database has the schema that the store needs. `undefined` if the store cannot check it. */
  readonly isSchemaCurrent: boolean | undefined;
  /** Why the clients could not be read completely. `undefined` if all were read. */
  readonly unlistedClients: string | undefined;
  /** Whether the model has a method. */
  readonly can: (method: string) => boolean;
  /** Whether the object with the users has a method. `undefined` if the model has no such object. */
  readonly canUsers: (method: string) => boolean | undefined;
}

/** A secret in the option `secret` of a server, without its value. */
export interface ReportSecret {
  readonly distinctCharacters: number;
  /** Whether it contains a word that examples use, or repeats a part. */
  readonly isPlaceholder: boolean;
}

/** The process that reads the configuration. */
export interface ReportProcess {
  readonly isProduction: boolean;
  readonly verifiesTls: boolean;
}

/** The facts about one server that rules judge. Everything is read before the rules run. */
export interface ReportFacts {
  /** The server as features see it. */
  readonly server: ServerContext;
  /** The options of the server with their defaults. */
  readonly options: SettledOptions;
  readonly issuer: URL | undefined;
  readonly tenant: string | undefined;
  /** The tenants that the report examines, if the server has tenants. */
  readonly tenants: readonly string[] | undefined;
  /** Whether the issuer is missing or has a loopback address, and the process does not run in production. */
  readonly isDevelopment: boolean;
  /** The members that the server publishes about itself. Empty without an issuer. RFC 8414 §2 */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly clients: readonly ReportClient[];
  readonly keys: readonly ReportKey[];
  readonly store: ReportStore;
  readonly secrets: readonly ReportSecret[];
  /** The Nest application. `undefined` without one. */
  readonly application: ReportApplication | undefined;
  readonly process: ReportProcess;
  /** When the facts were read, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether the server has a feature with this `id`. */
  readonly has: (feature: string) => boolean;
  /** Returns the settings of a feature. Empty if the server does not have the feature. */
  readonly settings: (feature: string) => Readonly<Record<string, unknown>>;
}
