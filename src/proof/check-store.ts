import { OAuth2Clients, type ClientsModel } from '../../lib/index.js';
import { checkModel, type TestSubject } from '../../lib/kit/index.js';
import { CommandError } from '../cli/command.js';
import { checkKills, type KillRequest } from './kills/check-kills.js';
import type { ProofOptions } from './proof-options.js';
import { subjectOf } from './subject.js';

/** The grants of the clients with which the contract kit tests a model. */
const GRANTS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
];

/**
 * Runs the contract kit on an empty database or key prefix, with clients that it creates and removes. Then kills
 * processes that work on it.
 * @throws {CommandError} If there are clients, or if the model cannot list them.
 */
export async function checkStore(open: NonNullable<ProofOptions['store']>, request: KillRequest) {
  const subject = subjectOf(await open(request.place));
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
      const { guarantees, outcomes, failures } = await checkModel(() => fixtures);
      const kills = request.kills === 0 ? [] : await checkKills(fixtures, client, request);
      return {
        guarantees,
        outcomes: [...outcomes, ...kills],
        failures: [...failures, ...kills.flatMap(({ name, message }) => (message ? [{ name, message }] : []))],
      };
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
