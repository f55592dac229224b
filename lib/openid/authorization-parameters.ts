import { type AuthorizationRequest, DEVICE_RESPONSE_TYPE } from '../contracts/response-type.js';
import type { Parameters } from '../http/parameters.js';
import type { Scope } from '../model/model.js';
import { isVSCHAR } from '../http/syntax.js';
import { coversScope } from '../tokens/scope.js';
import { readClaimsLocales } from './claims-locales.js';
import { readClaims } from './claims-parameter.js';
import type { OpenIdSettings } from './options.js';
import type { Prompts } from './prompt/prompts.js';
import { deliveredSector } from './proven-sector.js';
import { rejectUnsupported } from './unsupported-parameters.js';
import { verifyFrontChannel } from './response-types.js';
import { OFFLINE_ACCESS, OPENID_SCOPE } from './scopes.js';
import type { Subjects } from './subjects.js';

/** The settings and capabilities with which the parameters of an authorization request are read. */
interface Reader {
  settings: OpenIdSettings;
  prompts: Prompts;
  subjects: Subjects;
}

/**
 * Reads the parameters of an authorization request that OpenID Connect defines. OpenID Connect Core §3.1.2.1
 * @returns The data to store with the code, and with the tokens that are issued for it.
 */
export function readAuthorizationParameters(
  parameters: Parameters,
  request: AuthorizationRequest,
  { settings, prompts, subjects }: Reader,
): object | undefined {
  const { requestedScope: scope, responseType, client } = request;
  rejectUnsupported(parameters);
  const isOpenId = coversScope(scope, OPENID_SCOPE);
  const nonce = isOpenId ? parameters.optional('nonce', isNonce) : undefined;
  verifyFrontChannel(responseType, isOpenId, nonce);
  prompts.readParameters(parameters, request);
  const isDelivered = responseType !== DEVICE_RESPONSE_TYPE && subjects.isPairwise(client);
  const sector = isDelivered ? deliveredSector(request) : undefined;
  if (!isOpenId) return sector;
  const claims = settings.claimsParameter ? readClaims(parameters.optional('claims', () => true)) : undefined;
  const locales = readClaimsLocales(parameters);
  return {
    ...sector,
    ...(nonce !== undefined && { nonce }),
    ...(claims && { askedClaims: claims }),
    ...(locales && { claimsLocales: locales }),
    ...(requestsOfflineAccess(parameters, scope) && { offlineAccess: true }),
  };
}

/**
 * Whether a request has the scope `offline_access` and asks for consent with `prompt=consent`. OpenID Connect Core §11
 */
function requestsOfflineAccess(parameters: Parameters, scope: Scope | undefined): boolean {
  if (!coversScope(scope, OFFLINE_ACCESS)) return false;
  return parameters.optional('prompt')?.split(' ').includes('consent') ?? false;
}

/** Maximum number of characters of the parameter `nonce`, which the ID token repeats. */
const MAX_NONCE = 1024;
const isNonce = (text: string) => text.length <= MAX_NONCE && isVSCHAR(text);
