import type { OAuth2Server } from 'nest-oauth2';

import type { HostSettings } from '../host/host.js';

/** A plan of the suite, the server that stands before it, and what the suite is told of that. */
export interface ConformancePlan {
  /** By what it is chosen on the command line; the suite has it as the alias. */
  readonly name: string;
  /** As the suite calls it. */
  readonly plan: string;
  /** What the plan leaves open, and nothing that it says itself: the suite refuses that. */
  readonly variant: Readonly<Record<string, string>>;
  /** Modules that are not run, with the reason. */
  readonly without?: Readonly<Record<string, string>>;
  /** Seconds to let pass before a module. */
  readonly pauses?: Readonly<Record<string, number>>;
  /** Makes up keys, and clients that have them. */
  prepare(stage: Stage): Promise<Prepared>;
}

/** Who the two are that talk to each other. */
export interface Stage {
  issuer: string;
  /** Where the suite answers. */
  suite: string;
}

export interface Prepared {
  host: HostSettings;
  /** As the suite has it in its form. */
  configuration: object;
  /** What has to be done at the server before a module that waits for it goes on, by the name of the module. */
  meanwhile?: Readonly<Record<string, (server: OAuth2Server) => Promise<unknown>>>;
}
