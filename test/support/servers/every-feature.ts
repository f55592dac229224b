import type { Feature } from 'nest-oauth2/features';
import {
  authorizationDetails,
  deviceAuthorization,
  formPost,
  introspection,
  pushedRequests,
  revocation,
  type SafeFetchOptions,
  tokenExchange,
} from 'nest-oauth2/features';
import { dpop, jarm, jwtAccessTokens, keys, privateKeyJwt, requestObjects } from 'nest-oauth2/jose';
import { ciba, logout, openid, type OpenIdOptions } from 'nest-oauth2/openid';
import { EC, RSA } from './openid-server.js';

/** Returns `openid()` and features without effect on a client that does not use them. */
export const everyFeature = (options: OpenIdOptions = {}, fetch: SafeFetchOptions = {}): readonly Feature[] => [
  keys({ from: [EC, RSA] }),
  openid(options),
  introspection(),
  revocation(),
  pushedRequests(),
  formPost(),
  tokenExchange(),
  deviceAuthorization({ verificationUri: 'https://id.example.com/device' }),
  authorizationDetails({ types: { note: {} } }),
  dpop(),
  privateKeyJwt({ fetch }),
  requestObjects(),
  jarm(),
  jwtAccessTokens(),
  ciba(),
  logout(),
];

/** The members that a model needs for `everyFeature()`. */
export const MODEL_OF_EVERY_FEATURE = {
  getClaims: () => ({}),
  findHintedUser: () => undefined,
  askUser: () => undefined,
  mayExchange: () => true,
};
