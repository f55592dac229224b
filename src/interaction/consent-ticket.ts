import type { OnceModel } from '../../lib/index.js';
import { Tickets } from './tickets.js';

/** A consent page may stay open for 15 minutes. */
const CONSENT = { purpose: 'consent', lifetime: 15 * 60 };

/** Shows that a decision was made on the consent page: good for one user and one authorization request. RFC 6749 §10.12 */
export class ConsentTickets extends Tickets {
  constructor(secret: string, model?: Partial<OnceModel>) {
    super(CONSENT, secret, model);
  }
}
