import type { Scopes } from './messages.js';

/** Texts for the scopes of OpenID Connect on the consent page. An application may define its own. OpenID Connect Core §5.4, §11 */
export const OPENID_SCOPES: Scopes = {
  openid: 'Know who you are here',
  profile: 'See your name and profile',
  email: 'See your e-mail address',
  address: 'See your postal address',
  phone: 'See your phone number',
  offline_access: 'Keep access while you are away',
};
