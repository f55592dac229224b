import { ExpiringTexts, SERVER_SECRETS } from '../../../lib/internal.js';
import type { ServerContext, User } from '../../../lib/index.js';
import { serverKey } from '../../tenants/tenant-of.js';

/** Seconds for which a link to the page of consent is valid. */
const LIFETIME = 3600;

/** The ID of the page on which a user continues to a provider. */
export const CONSENT = 'upstream_consent';

/** The consent for which an application sends a user to a provider. */
export interface ConsentLink {
  /** The ID of the user who may use the link. */
  readonly userId: string;
  /** The name of the provider in the option `providers`. */
  readonly provider: string;
  /** The scope to request, separated by spaces. */
  readonly scope: string;
}

/** The links to the page of consent of one server. They are encrypted and bound to a user. */
export class ConsentLinks {
  private readonly texts: ExpiringTexts<ConsentLink>;
  private readonly serverKey: string;

  constructor(private readonly server: ServerContext) {
    this.texts = new ExpiringTexts(server.find(SERVER_SECRETS) ?? [], 'nest-oauth2 upstream consent');
    this.serverKey = serverKey(server, server.options.issuer);
  }

  /** Returns the URL of the page for a user. */
  urlFor(link: ConsentLink): string {
    const url = new URL(this.server.urlOf(CONSENT, this.server.options.issuer)!);
    url.searchParams.set('consent', this.texts.encrypt(link, LIFETIME, this.serverKey));
    return url.href;
  }

  /** Returns the consent of a link. `undefined` if the link was modified, has expired, or is for another user. */
  read(text: string | undefined, user: User): ConsentLink | undefined {
    const link = this.texts.decrypt(text, this.serverKey);
    return link?.userId === String(user['id']) ? link : undefined;
  }
}
