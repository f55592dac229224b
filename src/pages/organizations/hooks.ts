import { type ClientRequest, DEVICE_RESPONSE_TYPE } from '../../../lib/internal.js';
import type { Installed } from '../../../lib/features/index.js';
import { AccessDeniedError, InvalidGrantError, InvalidRequestError } from '../../../lib/index.js';
import { isMemberOf, isOrganizationId, type Organizations } from './organizations.js';

/** The claim with the ID of the organization that a token is for. */
export const ORG_ID = 'org_id';
/** The parameter of an authorization request with the ID of the requested organization. */
export const ORGANIZATION = 'organization';

const NOT_FOR_DEVICES = 'Invalid request: `organization` cannot be requested without a browser';

/**
 * Returns the hooks that bind an authorization to an organization: the code, its tokens and the tokens of each refresh
 * have the member `org_id`.
 */
export function organizationHooks(organizations: () => Organizations): Pick<Installed, 'authorization' | 'token'> {
  return {
    authorization: {
      read(parameters, { responseType }) {
        const requested = parameters.optional(ORGANIZATION, isOrganizationId);
        if (requested === undefined) return undefined;
        // A device would take tokens without an organization for tokens of the requested one.
        if (responseType === DEVICE_RESPONSE_TYPE) throw new InvalidRequestError(NOT_FOR_DEVICES);
        return { [ORGANIZATION]: requested };
      },

      async approve({ client, issuer, data }, { user, decision }) {
        if (!decision || decision.error) return;
        const requested = data[ORGANIZATION];
        delete data[ORGANIZATION];
        const id = decision.choices?.[ORGANIZATION];
        if (requested !== undefined && id !== requested) throw notMember(String(requested));
        if (id === undefined) return;
        // The user may have left the organization since the choice.
        if (!(await isMemberOf(organizations(), user, id, { client, issuer }))) throw notMember(id);
        data[ORG_ID] = id;
      },
    },

    token: {
      issue(request) {
        const id = grantedOrganization(request);
        return id === undefined ? undefined : verifyMember(organizations(), id, request);
      },
      describe: claimsOf,
      identify: claimsOf,
    },
  };
}

/** Returns the claim `org_id` of a stored code or token. */
const claimsOf = ({ [ORG_ID]: id }: Readonly<Record<string, unknown>>) =>
  isOrganizationId(id) ? { [ORG_ID]: id } : undefined;

/**
 * Returns the organization of the code, refresh token or exchanged token. The organization of a grant never changes, so
 * parameters of the token request are not read.
 */
function grantedOrganization({ code, refreshToken, source }: ClientRequest): string | undefined {
  const id: unknown = (code ?? refreshToken ?? source?.record)?.[ORG_ID];
  return isOrganizationId(id) ? id : undefined;
}

/**
 * Stores the organization with the new token.
 * @throws {InvalidGrantError} If the user has left the organization. The code or refresh token is not consumed.
 */
async function verifyMember(organizations: Organizations, id: string, request: ClientRequest): Promise<void> {
  const { client, issuer, tokenMembers } = request;
  const { user } = request.authorization!;
  if (!(await isMemberOf(organizations, user, id, { client, issuer }))) {
    throw new InvalidGrantError('Invalid grant: the user does not belong to the organization of the grant').because({
      reason: 'user has left the organization of the grant',
      given: id,
      remedy: 'send the user through an authorization request again',
    });
  }
  tokenMembers[ORG_ID] = id;
}

/**
 * Returns the error for an organization that the user does not belong to. It is the same for an organization that does
 * not exist.
 */
export const notMember = (id: string): AccessDeniedError =>
  new AccessDeniedError('Access denied: the user does not belong to the requested organization').because({
    reason: 'user does not belong to the requested organization',
    given: id,
    remedy: 'omit `organization` to let the user choose, or add the user to the organization',
  });
