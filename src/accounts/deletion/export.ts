import { PERSONAL_TOKENS } from '../../../lib/internal.js';
import type {
  AuthorizedApplication,
  CredentialModel,
  ListedSession,
  SessionListModel,
  StoredCredential,
  User,
} from '../../../lib/index.js';
import { usersFilter } from '../../tenants/tenant-of.js';
import type { Accounts } from '../accounts.js';
import { emailOf, nameOf } from '../email.js';

/** Number of sessions to read at a time. */
const PAGE = 100;

/** The model methods that an export reads. */
interface ExportModel extends CredentialModel, SessionListModel {
  listApplications(userId: string, at?: { issuer: string }): Promise<readonly AuthorizedApplication[]>;
}

/**
 * Returns what the server stores of a user, without secrets: no password, hash, key or token. The method
 * `export()` of the users adds the data of the application.
 */
export async function exportOf(accounts: Accounts, user: User): Promise<object> {
  const { server, realm, users } = accounts;
  const model = server.options.model as object as ExportModel;
  const userId = String(user['id']);
  const kinds = ['password', 'passkey', 'totp', 'recovery_code', 'identity'] as const;
  const credentials = await model.findCredentials({ realm, userId }, kinds);
  const of = (kind: StoredCredential['kind']) => credentials.filter((one) => one.kind === kind);
  const [email, name] = [emailOf(user), nameOf(user)];
  return {
    exported_at: new Date().toISOString(),
    issuer: server.options.issuer,
    user: { id: userId, ...(email !== undefined && { email }), ...(name !== undefined && { name }) },
    has_password: of('password').length > 0,
    has_authenticator_app: of('totp').length > 0,
    recovery_codes: of('recovery_code').length,
    passkeys: of('passkey').map((one) => members(one, ['name', 'createdAt', 'usedAt'])),
    identities: of('identity').map((one) => members(one, ['provider', 'iss', 'sub', 'name', 'linkedAt'])),
    sessions: await sessionsOf(model, userId, accounts),
    applications: (await model.listApplications(userId, usersFilter(server))).map(applicationEntry),
    personal_tokens: ((await server.find(PERSONAL_TOKENS)?.list(user)) ?? []).map(
      ({ name: tokenName, scope, createdAt, expiresAt, lastUsedAt }) => ({
        name: tokenName,
        scope,
        created_at: createdAt,
        expires_at: expiresAt,
        last_used_at: lastUsedAt,
      }),
    ),
    ...(users.export && { application: await users.export(user) }),
  };
}

/** Returns the named members of the stored data of a credential. Other members may be secrets. */
function members({ data = '{}' }: StoredCredential, names: readonly string[]): object {
  const all = JSON.parse(data) as Record<string, unknown>;
  return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

async function sessionsOf(model: ExportModel, userId: string, { server }: Accounts): Promise<object[]> {
  const all: ListedSession[] = [];
  let after: string | undefined;
  do {
    const selection = { userId, ...usersFilter(server), limit: PAGE };
    const { sessions, next } = await model.listSessions({ ...selection, ...(after !== undefined && { after }) });
    all.push(...sessions);
    after = next;
  } while (after !== undefined);
  return all.map(({ authTime, acr, amr, createdAt, expiresAt }) => ({
    signed_in_at: authTime,
    acr,
    amr,
    created_at: createdAt,
    expires_at: expiresAt,
  }));
}

const applicationEntry = ({ clientId, client, scope, createdAt, lastUsedAt }: AuthorizedApplication) => ({
  client_id: clientId,
  name: (client as { name?: unknown } | undefined)?.name,
  scope,
  created_at: createdAt,
  last_used_at: lastUsedAt,
});
