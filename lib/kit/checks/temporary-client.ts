import { InvalidArgumentError } from '../../errors/index.js';
import type { ClientsModel } from '../../model/clients.js';
import type { Client, Falsy } from '../../model/model.js';
import { newGrantId, opaqueToken } from '../../tokens/opaque.js';
import { assert, SkippedCheck } from '../contract.js';
import type { CheckContext } from '../check-context.js';

export const modelOf = (trial: CheckContext) => trial.model as typeof trial.model & ClientsModel;
export const newClient = () => ({
  id: `kit-${newGrantId()}`,
  grants: ['client_credentials'],
  scopes: ['kit'],
  secret: opaqueToken(),
});

/** @throws SkippedCheck for a model whose clients are of somebody else */
export async function createClient(trial: CheckContext, client: Client & { secret: string }): Promise<boolean | Falsy> {
  try {
    return await modelOf(trial).createClient(client, { isRandom: true });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new SkippedCheck(`\`createClient()\` refuses: ${error.message}`);
  }
}

/** Has a client for a while. */
export async function withClient(
  trial: CheckContext,
  run: (client: ReturnType<typeof newClient>) => Promise<void>,
): Promise<void> {
  const client = newClient();
  assert(await createClient(trial, client), '`createClient()` returns false for a client that is new');
  try {
    await run(client);
  } finally {
    await modelOf(trial).removeClient?.(client.id);
  }
}
