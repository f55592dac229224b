import { isLoopbackName } from '../../http/public-url.js';
import type { CoreClient } from '../../model/model.js';

/** What every store and every column of a host keeps. */
const MAX_LENGTH = 255;

/**
 * Is this the URL of a document that describes a client? It is spelled as browsers spell it, so that nothing in it means
 * something else to somebody: no dot segments, whatever they are written as, no default port, no capitals in the host, no
 * fragment and nobody's name. http is for development. CIMD §3
 */
export function isClientIdUrl(text: string): boolean {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[\x21-\x7e]+$/.test(text) || text.includes('#')) return false;
  return URL.canParse(text) && new URL(text).href === text;
}

/** Where an answer goes: to the host that describes the client, to the user's own device, or to anywhere else. */
export type RedirectTarget = 'own' | 'device' | 'elsewhere';

/**
 * Whether the answer goes where the document of a client is. A consent page warns its users where it goes elsewhere: whose
 * page that is, the name of the client does not tell. Undefined: no document describes the client. CIMD §8.1
 */
export function redirectTarget(client: CoreClient, redirectUri: string): RedirectTarget | undefined {
  if (client.clientIdHost === undefined || !URL.canParse(client.id) || !URL.canParse(redirectUri)) return undefined;
  const { protocol, hostname, origin } = new URL(redirectUri);
  if (origin !== 'null' && origin === new URL(client.id).origin) return 'own';
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return !isWeb || isLoopbackName(hostname) ? 'device' : 'elsewhere';
}
