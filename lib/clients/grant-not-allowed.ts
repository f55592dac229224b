import type { RefusalDetail } from '../errors/index.js';
import type { CoreClient } from '../model/model.js';

/** Returns the reason that is logged if a client requests a grant for which it is not registered. RFC 6749 §5.2 */
export const grantNotAllowed = (client: CoreClient, grant: string | undefined): RefusalDetail => ({
  reason: 'the client may use the grant',
  expected: client.grants,
  given: grant,
  remedy: `add ${grant === undefined ? 'the grant' : `'${grant.replaceAll(' ', "' and '")}'`} to \`grants\` of the client (\`grant_types\` if it registers itself)`,
});
