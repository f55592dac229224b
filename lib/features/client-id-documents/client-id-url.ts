import { isLoopbackName } from '../../http/public-url.js';
import type { CoreClient } from '../../model/model.js';

/** Maximum length of a client ID, because columns of stores hold no longer ones. */
const MAX_LENGTH = 255;

/**
 * Whether a client ID is the URL of a client ID metadata document. It must be spelled as browsers normalize it, for
 * example without dot segments, a default port or upper-case letters in the host name, and without a fragment. `http`
 * is for development only. CIMD §3
 */
export function isClientIdUrl(text: string): boolean {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || text.includes('#')) return false;
  return URL.canParse(text) && new URL(text).href === text;
}

/**
 * Where a redirect URI leads: to the origin of the client's metadata document (`own`), to the user's own device
 * (`device`), or to any other origin (`elsewhere`).
 */
export type RedirectTarget = 'own' | 'device' | 'elsewhere';

/**
 * Returns whether a redirect URI is at the origin of the client's metadata document (`own`), on the user's device
 * (`device`), or at another origin (`elsewhere`). A consent page should warn of `elsewhere`, since the client's name
 * does not show who owns that origin. `undefined` if the client has no such document. CIMD §8.1
 */
export function redirectTarget(client: CoreClient, redirectUri: string): RedirectTarget | undefined {
  if (client.clientIdHost === undefined || !URL.canParse(client.id) || !URL.canParse(redirectUri)) return undefined;
  const { protocol, hostname, origin } = new URL(redirectUri);
  if (origin !== 'null' && origin === new URL(client.id).origin) return 'own';
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return !isWeb || isLoopbackName(hostname) ? 'device' : 'elsewhere';
}
