import { type ClientRequest, stateKey } from '../contracts/client-request.js';
import type { TokenHooks } from '../contracts/hooks.js';
import type { Scope } from '../model/model.js';
import { coversScope } from '../tokens/scope.js';
import { type PreparedIdToken, signIdToken } from './id-token.js';
import type { OpenIdSettings } from './options.js';
import { PROVEN_SECTOR } from './proven-sector.js';
import type { Provider } from './provider.js';
import { OFFLINE_ACCESS, OPENID_SCOPE } from './scopes.js';

/** The ID token that was prepared for a token request, before the code or refresh token was consumed. */
const PREPARED = stateKey<PreparedIdToken>('openid.idToken');

/** Returns the hooks that add an ID token to the responses of the token endpoint. OpenID Connect Core §3.1.3.3, §12.2 */
export const idTokenHooks = (settings: OpenIdSettings, provider: () => Provider): TokenHooks => ({
  async issue(request) {
    const { authorization, code, refreshToken, tokenMembers: token } = request;
    const kept = code ?? refreshToken;
    const proven = (kept ?? ownSubject(request))?.[PROVEN_SECTOR];
    if (proven !== undefined) token[PROVEN_SECTOR] = proven;
    if (!kept || !authorization) return;
    for (const name of ['askedClaims', 'claimsLocales']) if (kept[name] !== undefined) token[name] = kept[name];
    if (!coversScope(authorization.scope, OPENID_SCOPE)) return;
    if (settings.offlineAccess && code && !isOffline(code, authorization.scope)) authorization.refreshable = false;
    // All that can fail is done before anything is consumed.
    request.set(PREPARED, await provider().idTokens.prepare(request, authorization));
  },

  async respond(request, token) {
    const { code, refreshToken, responseMembers: answer } = request;
    if (!(code ?? refreshToken) || !coversScope(token.scope, OPENID_SCOPE)) return;
    // A retry of a refresh issues no new token, so nothing was prepared.
    const prepared = request.get(PREPARED) ?? (await provider().idTokens.prepare(request, token));
    answer['id_token'] = await signIdToken(prepared, { accessToken: token.accessToken });
  },
});

/** Returns the subject token of a token exchange, if the client exchanges a token of its own. RFC 8693 §2.1 */
const ownSubject = ({ source, client }: ClientRequest): Record<string, unknown> | undefined =>
  source?.record?.client.id === client.id ? source?.record : undefined;

/** Whether a refresh token may be issued for the code. The user of a device code was always asked. OpenID Connect Core §11 */
const isOffline = (code: Readonly<Record<string, unknown>>, scope: Scope | undefined): boolean =>
  coversScope(scope, OFFLINE_ACCESS) && (code['offlineAccess'] === true || 'deviceCode' in code);
