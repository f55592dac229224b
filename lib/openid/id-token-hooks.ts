import { type ClientRequest, stateKey } from '../contracts/client-request.js';
import type { TokenHooks } from '../contracts/hooks.js';
import type { Scope } from '../model/model.js';
import { coversScope } from '../tokens/scope.js';
import { type PreparedIdToken, signIdToken } from './id-token.js';
import type { OpenIdSettings } from './options.js';
import { PROVEN_SECTOR } from './proven-sector.js';
import type { Provider } from './provider.js';
import { OFFLINE_ACCESS, OPENID_SCOPE } from './scopes.js';

/**
 * The state key under which a token request stores its ID token, which is prepared before the code or refresh token is
 * consumed.
 */
const PREPARED = stateKey<PreparedIdToken>('openid.idToken');

/**
 * Returns the hooks that add an ID token to the responses of the token endpoint. OpenID Connect Core §3.1.3.3, §12.2
 */
export const idTokenHooks = (settings: OpenIdSettings, provider: () => Provider): TokenHooks => ({
  async issue(request) {
    const { authorization, code, refreshToken, tokenMembers } = request;
    const stored = code ?? refreshToken;
    const proven = (stored ?? ownSubject(request))?.[PROVEN_SECTOR];
    if (proven !== undefined) tokenMembers[PROVEN_SECTOR] = proven;
    if (!stored || !authorization) return;
    for (const name of ['askedClaims', 'claimsLocales'])
      if (stored[name] !== undefined) tokenMembers[name] = stored[name];
    if (!coversScope(authorization.scope, OPENID_SCOPE)) return;
    if (settings.offlineAccess && code && !isOffline(code, authorization.scope)) authorization.refreshable = false;
    // Do everything that can fail before the code or refresh token is consumed.
    request.set(PREPARED, await provider().idTokens.prepare(request, authorization));
  },

  async respond(request, token) {
    const { code, refreshToken, responseMembers } = request;
    if (!(code ?? refreshToken) || !coversScope(token.scope, OPENID_SCOPE)) return;
    // A retried refresh request issues no new token, so no ID token was prepared.
    const prepared = request.get(PREPARED) ?? (await provider().idTokens.prepare(request, token));
    responseMembers['id_token'] = await signIdToken(prepared, { accessToken: token.accessToken });
  },
});

/** Returns the stored subject token of a token exchange, if it was issued to the same client. RFC 8693 §2.1 */
const ownSubject = ({ source, client }: ClientRequest): Record<string, unknown> | undefined =>
  source?.record?.client.id === client.id ? source?.record : undefined;

/**
 * Whether a code allows a refresh token with the option `offlineAccess`. A device code does too, because its user was
 * always asked for consent. OpenID Connect Core §11
 */
const isOffline = (code: Readonly<Record<string, unknown>>, scope: Scope | undefined): boolean =>
  coversScope(scope, OFFLINE_ACCESS) && (code['offlineAccess'] === true || 'deviceCode' in code);
