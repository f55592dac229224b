import type { ClientRequest } from '../contracts/client-request.js';
import { isVSCHAR } from '../http/syntax.js';
import type { OwnUrls } from '../contracts/own-urls.js';
import { DECRYPTION } from '../jose/decryption/decrypting.js';
import { findKeys } from '../jose/keys/find-keys.js';
import { coversScope } from '../tokens/scope.js';
import { clientMembersOf } from '../contracts/client-field.js';
import { openIdFields } from './client-fields.js';
import { readClaimsLocales } from './claims-locales.js';
import { readClaims } from './claims-parameter.js';
import { discovery } from './discovery.js';
import { FRONT_CHANNEL_TYPES } from './front-channel-types.js';
import { type PreparedIdToken, signIdToken } from './id-token.js';
import { openHint, readIdTokenHint } from './id-token-hint.js';
import { openIdMetadata } from './metadata.js';
import type { OpenIdFeature } from './openid-feature.js';
import { faultsOf } from './option-faults.js';
import { type OpenIdOptions, settle } from './options.js';
import { PROMPT_PARAMETERS } from './prompt/asked-prompt.js';
import { Prompts } from './prompt/prompts.js';
import { Provider } from './provider.js';
import { OFFLINE_ACCESS, OPENID } from './scopes.js';
import { frontChannelType, verifyFrontChannel } from './response-types.js';
import { asksForOfflineAccess, isOffline } from './offline-access.js';
import { refuseUnsupported } from './refused-parameters.js';
import { deliveredSector, PROVEN_SECTOR } from './proven-sector.js';
import { OF_A_DEVICE } from '../contracts/response-type.js';
import { Sectors } from './sector.js';
import { Subjects } from './subjects.js';
import { userinfoEndpoint } from './userinfo.js';

/**
 * Users sign in at other applications: with the scope `openid` a client is given an ID token, which says who they are. Codes are kept
 * with `nonce`, and all that comes of them with `askedClaims` and `claimsLocales`. OpenID Connect Core
 */
export function openid(options: OpenIdOptions = {}): OpenIdFeature {
  const settings = settle(options);
  // Servers may share the feature.
  const providers = new WeakMap<OwnUrls, Provider>();
  const providerOf = (server: OwnUrls) => providers.get(server)!;
  const prompts = new Prompts(settings);
  const sectors = new Sectors(settings.fetch);
  const subjects = new Subjects(settings.pairwise);
  const prepared = new WeakMap<ClientRequest, PreparedIdToken>();
  // What else there is in their place, `check` has a sentence for.
  const responseTypes = [settings.responseTypes].flat().filter((name) => FRONT_CHANNEL_TYPES.includes(name));

  return {
    name: 'OpenID Connect Core',
    factory: 'openid',
    acrValues: settings.acrValues,
    requires: ['getClaims', 'getAccessToken'],
    redirectUriScopes: [OPENID],
    ignorableScopes: [OFFLINE_ACCESS],
    parameters: PARAMETERS,
    responseTypes: Object.fromEntries(responseTypes.map((name) => [name, frontChannelType(name, providerOf)])),
    endpoints: { 'openid-configuration': discovery(settings.maxAge), userinfo: userinfoEndpoint(providerOf) },
    clientMembers: clientMembersOf(openIdFields(settings.pairwise !== undefined)),
    verifyClientMetadata: (metadata) => sectors.verify(metadata, settings.pairwise?.byDefault === true),
    metadata: (server, issuer) => ({
      ...openIdMetadata(server, settings),
      end_session_endpoint: server.endpoints.has('logout') ? server.urlOf('logout', issuer) : undefined,
    }),
    subjectOf: (server, user, client, issued) => providerOf(server).subjects.of(user, client, issued),
    isKnownAs: (server, user, client, sub) => providerOf(server).subjects.isKnownAs(user, client, sub),
    sessionOf: (server, known) => providerOf(server).subjects.sessionOf(known),
    signFor: (server, client, jwt) => providerOf(server).signFor(client, jwt),
    install: (builder) => void (settings.encryptedHints && builder.contribute(DECRYPTION, { lifetime: LOGIN })),
    async readHint(server, hint, issuer, client) {
      const ring = findKeys(server)!;
      const signed = settings.encryptedHints ? await openHint(ring, hint, client) : hint;
      return signed === undefined ? undefined : await readIdTokenHint(ring, signed, issuer);
    },

    check(server) {
      const faults = [...faultsOf(server, options)];
      if (faults.length === 0) providers.set(server, new Provider(server, settings));
      return faults;
    },

    prompt: (asked, presence, server) => prompts.need(asked, presence, server),

    ask(parameters, asked) {
      const { requestedScope: scope, responseType } = asked;
      refuseUnsupported(parameters);
      const isOpenId = coversScope(scope, OPENID);
      const nonce = isOpenId ? parameters.optional('nonce', isNonce) : undefined;
      verifyFrontChannel(responseType, isOpenId, nonce);
      prompts.ask(parameters, asked);
      const isDelivered = responseType !== OF_A_DEVICE && subjects.isPairwise(asked.client);
      const sector = isDelivered ? deliveredSector(asked) : undefined;
      if (!isOpenId) return sector;
      const claims = settings.claimsParameter ? readClaims(parameters.optional('claims', () => true)) : undefined;
      const locales = readClaimsLocales(parameters);
      return {
        ...sector,
        ...(nonce !== undefined && { nonce }),
        ...(claims && { askedClaims: claims }),
        ...(locales && { claimsLocales: locales }),
        ...(asksForOfflineAccess(parameters, scope) && { offlineAccess: true }),
      };
    },

    async issue(exchange) {
      const { authorization, code, refreshToken, token } = exchange;
      const kept = code ?? refreshToken;
      const proven = (kept ?? ownSubject(exchange))?.[PROVEN_SECTOR];
      if (proven !== undefined) token[PROVEN_SECTOR] = proven;
      if (!kept || !authorization) return;
      for (const name of ['askedClaims', 'claimsLocales']) if (kept[name] !== undefined) token[name] = kept[name];
      if (!coversScope(authorization.scope, OPENID)) return;
      if (settings.offlineAccess && code && !isOffline(code, authorization.scope)) authorization.refreshable = false;
      // All that can fail is done before anything is spent.
      prepared.set(exchange, await providerOf(exchange.server).idTokens.prepare(exchange, authorization));
    },

    async respond(exchange, token) {
      const { code, refreshToken, answer } = exchange;
      if (!(code ?? refreshToken) || !coversScope(token.scope, OPENID)) return;
      // A retry is answered without a new token: what was lost is said again.
      const whole = prepared.get(exchange) ?? (await providerOf(exchange.server).idTokens.prepare(exchange, token));
      answer['id_token'] = await signIdToken(whole, { accessToken: token.accessToken });
    },
  };
}

/** Returns the subject token of a token exchange, if the client exchanges a token of its own. RFC 8693 §2.1 */
const ownSubject = ({ source, client }: ClientRequest): Record<string, unknown> | undefined =>
  source?.record?.client.id === client.id ? source?.record : undefined;

/** Seconds that somebody may take to sign in: a hint is read before that, and after. */
const LOGIN = 1800;
/** Characters: it stands in the ID token again. */
const LONGEST_NONCE = 1024;
const isNonce = (text: string) => text.length <= LONGEST_NONCE && isVSCHAR(text);

const PARAMETERS = {
  authorize: {
    nonce: 'Binds the ID token to the session of the client; it stands in there again.',
    claims: 'Claims that are asked for by name, as JSON.',
    claims_locales: 'Languages that claims are wanted in, the best first.',
    ...PROMPT_PARAMETERS,
  },
};
