import { TOKEN_ENDPOINT_AUTH_METHOD } from '../../clients/registration/client-fields.js';
import type { ClientRequest } from '../../contracts/client-request.js';
import type { AuthorizationHooks, TokenHooks } from '../../contracts/hooks.js';
import { InvalidGrantError } from '../../errors/index.js';
import type { CoreClient } from '../../model/model.js';

/** The member of codes and refresh tokens that requires client authentication with a key. */
const MEMBER = 'client_auth_method';

const hasDocument = ({ clientIdHost }: CoreClient): boolean => clientIdHost !== undefined;

/**
 * The hooks that bind codes and refresh tokens to client authentication with a key, for clients with a client ID
 * metadata document. The document can change at any time. If it no longer requires a key, a stolen code or refresh token
 * remains useless without one. CIMD §4.1
 */
export const keyBinding = {
  authorization: {
    read(_parameters, { client }) {
      const method = hasDocument(client) ? TOKEN_ENDPOINT_AUTH_METHOD.of(client) : undefined;
      return method === undefined || method === 'none' ? undefined : { [MEMBER]: method };
    },
  } satisfies AuthorizationHooks,

  token: {
    issue(request) {
      verifyKeyUsed(request);
      const { client, authenticationMethod, tokenMembers } = request;
      if (hasDocument(client) && authenticationMethod !== 'none') tokenMembers[MEMBER] = authenticationMethod;
    },
    // For a repeated refresh request, which gets the same response, no `issue` hook runs.
    respond: verifyKeyUsed,
  } satisfies TokenHooks,
};

/**
 * Verifies that the client authenticated with a key if the code or refresh token requires it.
 * @throws {InvalidGrantError} If it did not.
 */
function verifyKeyUsed({ code, refreshToken, authenticationMethod }: ClientRequest): void {
  const required: unknown = (code ?? refreshToken)?.[MEMBER];
  if (typeof required !== 'string' || authenticationMethod !== 'none') return;
  throw new InvalidGrantError('Invalid grant: it was issued to a client that authenticates with a key').because({
    reason: 'metadata document of the client no longer requires the key that the grant is bound to',
    expected: required,
    given: authenticationMethod,
  });
}
