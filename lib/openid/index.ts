export {
  type BackchannelDecision,
  type BackchannelUser,
  decideBackchannelRequest,
  findBackchannelRequest,
} from './ciba/backchannel-requests.js';
export { ciba } from './ciba/ciba.js';
export type { BackchannelRequest, CibaModel, UserHint } from './ciba/ciba-model.js';
export type { CibaOptions } from './ciba/options.js';
export type { SignedOptions } from './ciba/signed-options.js';
export type { RequestedClaims, ClaimRequest, ClaimRequests } from './claims-parameter.js';
export type {
  AssertionPermission,
  AssertionRequest,
  IdentityAssertionModel,
} from './identity-assertions/assertion-model.js';
export { identityAssertions, type IdentityAssertionsOptions } from './identity-assertions/identity-assertions.js';
export { logout, type LogoutOptions } from './logout/logout.js';
export { LOGOUT, type LogoutNotifier, type SignedOut } from './logout/logout-capability.js';
export { identifiesUser, type LogoutRequest, readLogoutRequest } from './logout/logout-request.js';
export type { NotificationModel, StoredNotification } from '../model/notifications.js';
export { signOutAtClients } from './logout/sign-out-at-clients.js';
export { openid } from './openid.js';
export { type IdTokenHint, OPENID, type OpenIdProvider } from './openid-capability.js';
export type { ClaimsRequest, OpenIdModel } from './openid-model.js';
export type { OpenIdOptions } from './options.js';
export type {
  SessionClient,
  SessionClientFilter,
  SessionClientModel,
  SignOutListener,
} from '../model/session-clients.js';
export type { OpenIdRegistration } from '../model/openid-registration.js';
export type { ScopeClaims } from './scopes.js';
export type { PairwiseOptions } from './subjects.js';
