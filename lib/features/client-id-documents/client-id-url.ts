import { isLoopbackName } from '../../http/public-url.js';
import type { CoreClient } from '../../model/model.js';

/** Maximum length of a client id, which the columns of stores can save. */
const MAX_LENGTH = 255;

/**
 * Whether a client id is the URL of a client ID metadata document. It must be spelled as browsers normalize it, without
 * a fragment, a user name, dot segments, a default port or upper-case letters in the host name. Use `http` for
 * development only. CIMD §3
 */
export function isClientIdUrl(text: string): boolean {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || text.includes('#')) return false;
  return URL.canParse(text) && new URL(text).href === text;
}

/**
 * The target of a redirect URI: the origin of the client's metadata document, the user's own device, or any other
 * origin.
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
