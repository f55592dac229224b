export * from './contract.js';
export { authorizationDetails } from './authorization-details/authorization-details.js';
export type { AuthorizationDetailsOptions } from './authorization-details/detail-type.js';
export type { AuthorizationDetailsModel } from './authorization-details/details-model.js';
export { type ShownDetail, shownDetails } from './authorization-details/shown-details.js';
export { type RedirectTarget, redirectTarget } from './client-id-documents/client-id-url.js';
export { clientIdDocuments } from './client-id-documents/client-id-documents.js';
export type {
  ClientIdDocumentModel,
  ClientIdDocumentOptions,
  PinnedDocument,
} from './client-id-documents/document-options.js';
export type { ClientMetadata, JsonWebKeySet } from '../contracts/client-metadata.js';
export type { MetadataClient } from '../clients/registration/client-from-metadata.js';
export type { ClientPolicyOptions } from '../clients/registration/client-policy.js';
export { deviceAuthorization, type DeviceAuthorizationOptions } from './device-authorization/device-authorization.js';
export type {
  DeviceAuthorization,
  DeviceAuthorizationModel,
  DeviceDecision,
  NewDeviceAuthorization,
} from './device-authorization/device-model.js';
export {
  decideDeviceRequest,
  type DeviceRequest,
  type DeviceServer,
  findDeviceRequest,
  type DeviceUser,
} from './device-authorization/device-requests.js';
export { formatUserCode } from './device-authorization/user-code.js';
export { formPost } from './form-post/form-post.js';
export * from './introspected-tokens/index.js';
export { introspection, type IntrospectionModel } from './introspection.js';
export type { Lookup, SafeFetchOptions } from '../http/safe-fetch/index.js';
export { mutualTls } from './mutual-tls/mutual-tls.js';
export type { MutualTlsOptions, TlsClientAuthMethod, TlsProxy } from './mutual-tls/options.js';
export { personalAccessTokens } from './personal-tokens/personal-access-tokens.js';
export type { PersonalAccessTokenOptions } from './personal-tokens/options.js';
export type { PushedParameters, PushedRequest, PushedRequestModel } from './pushed-requests/pushed-request.js';
export { pushedRequests, type PushedRequestOptions } from './pushed-requests/pushed-requests.js';
export { registration } from './registration/registration.js';
export type {
  Registration,
  RegistrationCredentials,
  RegistrationModel,
  RegistrationRequest,
} from './registration/registration-model.js';
export type { RegistrationOptions } from './registration/registration-options.js';
export type { ResourceIndicatorOptions, ResourceModel } from './resource-indicators/options.js';
export { resourceIndicators } from './resource-indicators/resource-indicators.js';
export { protectedResource, type ProtectedResource, type ProtectedResourceOptions } from './resource-metadata.js';
export { revocation, type RevocationModel, type RevocationOptions } from './revocation.js';
export { serverMetadata, type ServerMetadataOptions } from './server-metadata/server-metadata.js';
export type {
  Act,
  SubjectOrActorToken,
  ExchangePermission,
  ExchangeRequest,
  ForeignToken,
  TokenExchangeModel,
  VerifiedToken,
} from './token-exchange/exchange-model.js';
export { type IssuedToken, OTHER_TOKENS, type OtherTokens, type TokenIssuer } from './token-exchange/other-tokens.js';
export { tokenExchange, type TokenExchangeOptions } from './token-exchange/token-exchange.js';
