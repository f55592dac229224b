import type { Feature } from '../../lib/contracts/feature.js';
import type { Scopes } from './messages.js';

/** What the scopes of OpenID Connect allow, unless the host says it otherwise. Core §5.4, §11 */
const OPENID_SCOPES: Scopes = {
  openid: 'Know who you are here',
  profile: 'See your name and profile',
  email: 'See your e-mail address',
  address: 'See your postal address',
  phone: 'See your phone number',
  offline_access: 'Keep access while you are away',
};

/** Words for the scopes of `openid()`, where that is listed: elsewhere `profile` may be anything. */
export function openIdScopes(features: readonly Feature[]): Scopes | undefined {
  return features.some(({ name }) => name === 'OpenID Connect Core') ? OPENID_SCOPES : undefined;
}
