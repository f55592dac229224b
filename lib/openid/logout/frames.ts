import { FRONTCHANNEL_LOGOUT_URI } from './client-fields.js';
import { isLoopbackName } from '../../http/public-url.js';
import type { CoreClient } from '../../model/model.js';
import type { SessionClient } from '../../model/session-clients.js';
import { queryUri } from '../../endpoints/authorization/redirects.js';

/** What is opened in a browser whose user has signed out; undefined: nothing. OpenID Connect Front-Channel Logout §2, §3 */
export function frontChannelLogoutUrl(client: CoreClient, { issuer, sid }: SessionClient): string | undefined {
  const uri = FRONTCHANNEL_LOGOUT_URI.of(client);
  if (uri === undefined || !isFrameable(uri)) return undefined;
  return queryUri(uri, { iss: issuer, sid });
}

/** A host may have listed anything. */
function isFrameable(uri: unknown): boolean {
  if (typeof uri !== 'string' || uri.includes('#') || !URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  // URLs let more stand in a host than a policy does, which would end there, and with it the frames of others. CSP §2.2
  if (!/^[\w.[\]:-]+$/.test(hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}
