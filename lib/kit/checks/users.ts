import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { wrongSecrets } from '../spellings.js';
import { callModel, inspectValue } from './model-calls.js';

const needs = ['getUser'] as const;
const feature = 'passwords';

export const USER_CHECKS: readonly Check[] = [
  {
    name: 'finds its user by username and password',
    feature,
    needs: ['getUser', 'getClient', 'saveToken'],
    attack: 'No attack is needed: no user can sign in with the password grant.',
    remedy:
      'Return the user object if username and password are correct. SQL: SELECT * FROM users WHERE username = ?, then verify the hash',
    run: assertFindsUser,
  },
  {
    name: 'rejects a user with a wrong password',
    feature,
    needs,
    attack: 'An attacker who knows a username signs in as that user.',
    remedy:
      'Find the user by the username alone. Verify the whole password against its hash (argon2, scrypt, bcrypt). Return null if it does not match.',
    run: assertWrongPasswordRejected,
  },
  {
    name: 'returns nothing for unknown usernames in any script, and does not fail',
    feature,
    needs,
    attack:
      'An attacker sends a quotation mark, or a character outside the charset of the table, as username. The query fails with a server error, or is open to SQL injection.',
    remedy:
      'Bind values as query parameters, never concatenate them into the query. Use a charset for all of Unicode (utf8mb4). Return null if no row was found.',
    run: assertUnknownUsersRejected,
  },
  {
    name: 'returns an object for a client with the client credentials grant',
    feature: 'client credentials',
    needs: ['getClient', 'getUserFromClient', 'saveToken'],
    attack: 'No attack is needed: a client with the client credentials grant gets no token.',
    remedy:
      'Return an object from `getUserFromClient()` that stands for the client, such as `{ id: client.id }`. Make sure that no real user has this ID.',
    run: assertClientUser,
  },
];

function credentials({ subject }: CheckContext): { username: string; password: string } {
  const { username, password } = subject.user ?? {};
  if (username === undefined || password === undefined)
    throw new SkippedCheck('`user` in the fixtures has no `username` and `password`');
  return { username, password };
}

async function findUser(context: CheckContext, username: string, password: string): Promise<unknown> {
  const client = context.subject.client ? await context.client() : { id: 'kit', grants: ['password'] };
  const call = () => context.model.getUser!(username, password, client);
  return callModel(call, `\`getUser(${inspectValue(username)}, …)\``);
}

async function assertFindsUser(context: CheckContext): Promise<void> {
  const { username, password } = credentials(context);
  const user = await findUser(context, username, password);
  assert(user && typeof user === 'object', `\`getUser(${inspectValue(username)}, …)\` returns ${inspectValue(user)}`);
  const { grants } = await context.client();
  if (grants.includes('password')) {
    await context.token({ grant_type: 'password', username, password, scope: context.scopeText });
  }
}

async function assertWrongPasswordRejected(context: CheckContext): Promise<void> {
  const { username, password } = credentials(context);
  for (const [how, wrong] of wrongSecrets(password)) {
    // Keyboards type the same password differently, so that hashes are made from its NFKC form. NIST SP 800-63B §3.1.1.2
    if (wrong.normalize('NFKC') === password.normalize('NFKC')) continue;
    assert(!(await findUser(context, username, wrong)), `\`getUser()\` accepts a wrong password: ${how}.`);
  }
}

async function assertUnknownUsersRejected(context: CheckContext): Promise<void> {
  const strangers = ['nobody-7f3a', '__proto__', 'constructor', "' OR '1'='1", '%', 'Zoë', '漢字', '🦉', 'مستخدم'];
  for (const stranger of strangers) {
    const user = await findUser(context, stranger, stranger);
    assert(!user, `\`getUser(${inspectValue(stranger)}, ${inspectValue(stranger)})\` returns ${inspectValue(user)}`);
  }
}

async function assertClientUser(context: CheckContext): Promise<void> {
  const client = await context.client();
  if (context.fixture.secret === undefined) throw new SkippedCheck('`client` in the fixtures has no `secret`');
  if (!client.grants.includes('client_credentials'))
    throw new SkippedCheck('`client` in the fixtures does not have the grant `client_credentials`');
  const user = await context.model.getUserFromClient!(client);
  assert(user && typeof user === 'object', `\`getUserFromClient()\` returns ${inspectValue(user)}`);
  const { access_token: token } = await context.token({
    grant_type: 'client_credentials',
    scope: context.scopeText,
  });
  assert(
    !context.model.getAccessToken || (await context.acceptsAccessToken(token)),
    'The server does not accept the access token that it issued to the client.',
  );
}
