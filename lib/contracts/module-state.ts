import { capability } from './capability.js';

/** The data of a framework module about a server that it has made. */
export interface ModuleState {
  /** The `name` of the server. `undefined` for the default server. */
  readonly name?: string | undefined;
  /** The option `config` of the module. */
  readonly config?: unknown;
  /** The tenant of the server. `undefined` if the server belongs to no tenant. */
  readonly tenant?: string | undefined;
  /** The servers of the tenants, if this is the server of a module with tenants. */
  readonly tenants?: object | undefined;
  /**
   * Whether the server only checks the options that tenants share, and handles no request. The `config` of a tenant is
   * not known then.
   */
  readonly isTemplate?: boolean | undefined;
  /** Whether servers of other issuers use the same model, such as those of tenants. */
  readonly sharesModel?: boolean | undefined;
}

/** The capability key under which a framework module provides its state of a server. */
export const MODULE_STATE = capability<ModuleState>('module state', 'OAuth2Module');
