import type { CheckContext } from '../check-context.js';
import { type Check, assert, SkippedCheck } from '../contract.js';
import { wrongSecrets } from '../spellings.js';
import { callModel, inspectValue } from './model-calls.js';

const needs = ['getUser'] as const;
const feature = 'passwords';

export const USER_CHECKS: readonly Check[] = [
  {
    name: 'finds its user by name and password',
    feature,
    needs: ['getUser', 'getClient', 'saveToken'],
    attack: 'nobody needs to attack: no user gets in by the password grant.',
    remedy:
      'return the user, an object, when name and password are right. SQL: SELECT * FROM users WHERE username = ?, then verify the hash',
    run: assertFindsUser,
  },
  {
    name: 'refuses a user with a wrong password',
    feature,
    needs,
    attack: 'somebody who knows the name of a user gets in as that user.',
    remedy:
      'find the user by name alone, verify the whole password against its hash (argon2, scrypt, bcrypt), and return null when it does not match.',
    run: assertWrongPasswordRejected,
  },
  {
    name: 'refuses users it does not know, in any script, without failing',
    feature,
    needs,
    attack:
      'a quotation mark or a character outside the charset of the table breaks the query: the server fails, or worse, obeys.',
    remedy:
      'bind values, never put them into the text of a query; a charset for all of Unicode (utf8mb4); return null when no row was found.',
    run: assertUnknownUsersRejected,
  },
  {
    name: 'names a user for a client that acts for itself',
    feature: 'client credentials',
    needs: ['getClient', 'getUserFromClient', 'saveToken'],
    attack: 'nobody needs to attack: the client gets no token.',
    remedy:
      'return an object that stands for the client, such as `{ id: client.id }`, and make sure that no real user has that id.',
    run: assertClientUser,
  },
];

function credentials({ subject }: CheckContext): { username: string; password: string } {
  const { username, password } = subject.user ?? {};
  if (username === undefined || password === undefined)
    throw new SkippedCheck('no `user` with `username` and `password`');
  return { username, password };
}

async function findUser(trial: CheckContext, username: string, password: string): Promise<unknown> {
  const client = trial.subject.client ? await trial.client() : { id: 'kit', grants: ['password'] };
  const call = () => trial.model.getUser!(username, password, client);
  return callModel(call, `\`getUser(${inspectValue(username)}, …)\``);
}

async function assertFindsUser(trial: CheckContext): Promise<void> {
  const { username, password } = credentials(trial);
  const user = await findUser(trial, username, password);
  assert(user && typeof user === 'object', `\`getUser(${inspectValue(username)}, …)\` returns ${inspectValue(user)}`);
  const { grants } = await trial.client();
  if (grants.includes('password')) {
    await trial.token({ grant_type: 'password', username, password, scope: trial.scopeText });
  }
}

async function assertWrongPasswordRejected(trial: CheckContext): Promise<void> {
  const { username, password } = credentials(trial);
  for (const [how, wrong] of wrongSecrets(password)) {
    assert(!(await findUser(trial, username, wrong)), `\`getUser()\` takes a password that is wrong: ${how}`);
  }
}

async function assertUnknownUsersRejected(trial: CheckContext): Promise<void> {
  const strangers = ['nobody-7f3a', '__proto__', 'constructor', "' OR '1'='1", '%', 'Zoë', '漢字', '🦉', 'مستخدم'];
  for (const stranger of strangers) {
    const user = await findUser(trial, stranger, stranger);
    assert(!user, `\`getUser(${inspectValue(stranger)}, ${inspectValue(stranger)})\` returns ${inspectValue(user)}`);
  }
}

async function assertClientUser(trial: CheckContext): Promise<void> {
  const client = await trial.client();
  if (trial.fixture.secret === undefined) throw new SkippedCheck('`client` has no `secret`');
  if (!client.grants.includes('client_credentials')) throw new SkippedCheck('`client` does not have the grant');
  const user = await trial.model.getUserFromClient!(client);
  assert(user && typeof user === 'object', `\`getUserFromClient()\` returns ${inspectValue(user)}`);
  const { access_token: token } = await trial.token({
    grant_type: 'client_credentials',
    scope: trial.scopeText,
  });
  assert(
    !trial.model.getAccessToken || (await trial.acceptsAccessToken(token)),
    'the token that the client got is not let in',
  );
}
