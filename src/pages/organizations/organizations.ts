import { capability } from '../../../lib/internal.js';
import { type Awaitable, type Client, ServerError, type User } from '../../../lib/index.js';

/** An organization of a user, such as a company or a team. */
export interface Organization {
  /** The ID of the organization, of at most 255 characters. Tokens contain it as `org_id`. */
  id: string;
  /** The name of the organization, for users. */
  name: string;
}

/** The client for which organizations are listed, and the issuer of the server or tenant. */
export interface OrganizationsContext {
  client: Client;
  /** The issuer of the server or tenant. `undefined` if the option `issuer` is not set. */
  issuer: string | undefined;
}

/** The organizations of an application: the option `organizations` of `pages()`. */
export interface Organizations<U extends User = User> {
  /** Returns the organizations of a user that the client may be used with. An empty list if there are none. */
  list(user: U, context: OrganizationsContext): Awaitable<readonly Organization[]>;
  /**
   * Returns whether a user belongs to an organization. Called for each token that is issued, also by refresh. Only `true`
   * counts. If omitted, `list()` is called.
   */
  isMember?(user: U, organizationId: string, context: OrganizationsContext): Awaitable<boolean>;
}

/** The capability key of the organizations that the application passes to `pages()`. */
export const ORGANIZATIONS = capability<Organizations>('organizations', 'pages');

/** The maximum length of the ID of an organization. */
const MAX_LENGTH = 255;

/** Whether a value is a valid ID of an organization. */
export const isOrganizationId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH && value.isWellFormed();

/**
 * Returns the organizations of a user.
 * @throws {ServerError} If `list()` returned anything but organizations with different IDs.
 */
export async function organizationsOf(
  organizations: Organizations,
  user: User,
  context: OrganizationsContext,
): Promise<readonly Organization[]> {
  const listed: unknown = await organizations.list(user, context);
  const ids = new Set(Array.isArray(listed) ? listed.filter(isOrganization).map(({ id }) => id) : []);
  if (Array.isArray(listed) && ids.size === listed.length) return listed as Organization[];
  throw new ServerError(
    'Server error: `list()` of the `organizations` of `pages()` must return a list of `{ id, name }` with different IDs',
  );
}

/** Whether a user belongs to an organization. */
export async function isMemberOf(
  organizations: Organizations,
  user: User,
  id: string,
  context: OrganizationsContext,
): Promise<boolean> {
  if (!organizations.isMember) {
    return (await organizationsOf(organizations, user, context)).some((one) => one.id === id);
  }
  const answer: unknown = await organizations.isMember(user, id, context);
  return answer === true;
}

function isOrganization(value: unknown): value is Organization {
  const { id, name } = (value ?? {}) as Partial<Organization>;
  return isOrganizationId(id) && typeof name === 'string' && name !== '';
}
