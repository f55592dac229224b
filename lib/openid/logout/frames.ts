import { FRONTCHANNEL_LOGOUT_URI } from './client-fields.js';
import { isLoopbackName } from '../../http/public-url.js';
import type { CoreClient } from '../../model/model.js';
import type { SessionClient } from '../../model/session-clients.js';
import { queryUri } from '../../endpoints/authorization/redirects.js';

/**
 * Returns the front-channel logout URL of a client, to be opened in the browser of a user who has signed out. Returns
 * `undefined` if the client has no valid URL. OpenID Connect Front-Channel Logout §2, §3
 */
export function frontChannelLogoutUrl(client: CoreClient, { issuer, sid }: SessionClient): string | undefined {
  const uri = FRONTCHANNEL_LOGOUT_URI.of(client);
  if (uri === undefined || !isFrameable(uri)) return undefined;
  return queryUri(uri, { iss: issuer, sid });
}

/** Whether a URI can be opened in a frame. Clients that the application configures may contain any value. */
function isFrameable(uri: unknown): boolean {
  if (typeof uri !== 'string' || uri.includes('#') || !URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  // A host may contain characters that end a content security policy, which would block the frames of other clients.
  // CSP §2.2
  if (!/^[\w.[\]:-]+$/.test(hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}
