import type { RefusalDetail } from '../errors/index.js';
import type { CoreClient } from '../model/model.js';

/**
 * Returns the refusal detail for a client that requests a grant that it is not allowed to use.
 * @param grant The requested grant types, separated by spaces, if known. RFC 6749 §5.2
 */
export const grantNotAllowed = (client: CoreClient, grant: string | undefined): RefusalDetail => ({
  reason: 'client is not allowed to use the requested grant type',
  expected: client.grants,
  given: grant,
  remedy: `add ${grant === undefined ? 'the grant' : `'${grant.replaceAll(' ', "' and '")}'`} to \`grants\` of the client (\`grant_types\` if it registers itself)`,
});
