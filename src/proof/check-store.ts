import { OAuth2Clients, type ClientsModel } from '../../lib/index.js';
import { checkModel, type TestSubject } from '../../lib/kit/index.js';
import { CommandError } from '../cli/command.js';
import type { ProofOptions } from './proof-options.js';

/** The grants of the clients with which the contract kit tests a model. */
const GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
];

/**
 * Runs the contract kit on an empty database or key prefix, with clients that it creates and removes.
 * @throws {CommandError} If there are clients, or if the model cannot list them.
 */
export async function checkStore(open: NonNullable<ProofOptions['store']>, place: string) {
  const made = await open(place);
  const subject: TestSubject = 'saveToken' in made ? { model: made } : (made as TestSubject);
  try {
    await verifyEmpty(subject.model);
    const { model, user, server, scopes = ['proof:read'] } = subject;
    const clients = new OAuth2Clients(model);
    const create = async (id: string) => {
      const fields = { id, grants: GRANTS, redirectUris: ['https://proof.example/callback'], scopes: [...scopes] };
      return { id, secret: (await clients.create(fields)).secret! };
    };
    const [client, otherClient] = [await create('proof-one'), await create('proof-other')];
    try {
      const fixtures: TestSubject = { model, client, otherClient, scopes };
      Object.assign(fixtures, user && { user }, server && { server });
      return await checkModel(() => fixtures);
    } finally {
      for (const { id } of [client, otherClient]) await clients.remove(id);
    }
  } finally {
    await subject.cleanUp?.();
  }
}

async function verifyEmpty(model: Partial<ClientsModel>): Promise<void> {
  if (typeof model.listClients !== 'function')
    throw new CommandError(
      '`store` of the file must return a model with `listClients()`, because nothing else shows that it is empty.',
    );
  const { clients } = await model.listClients({ limit: 1 });
  if (clients.length > 0)
    throw new CommandError(
      `The database or key prefix of \`--empty\` holds clients, such as \`${clients[0]!.id}\`: name an empty one.`,
    );
}
