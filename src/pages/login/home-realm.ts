import { capability } from '../../../lib/internal.js';
import type { PageAnswer } from '../toolkit/answers.js';
import type { PageCall } from '../toolkit/page-call.js';

/** Sends users to the identity provider of their company before a password is asked (home-realm discovery). */
export interface HomeRealm {
  /** Whether the login page asks for the user name first, and then for the password. */
  readonly isEnabled: boolean;
  /**
   * Returns the answer that sends the browser to the provider of a user name. It depends on the domain of the name only,
   * never on whether an account exists.
   * @returns `undefined` if the domain has no provider; a problem of the login page if the provider cannot be used
   */
  find(call: PageCall, name: string): Promise<PageAnswer | 'busy' | 'throttled' | undefined>;
}

/** The capability key of the home-realm discovery of a server. */
export const HOME_REALM = capability<HomeRealm>('home realm discovery', 'upstreams');
