import { InvalidArgumentError } from '../../errors/index.js';
import type { ClientsModel } from '../../model/clients.js';
import type { Client, Falsy } from '../../model/model.js';
import { newGrantId, opaqueToken } from '../../tokens/opaque.js';
import { assert, SkippedCheck } from '../contract.js';
import type { CheckContext } from '../check-context.js';

export const modelOf = (context: CheckContext) => context.model as typeof context.model & ClientsModel;
export const newClient = () => ({
  id: `kit-${newGrantId()}`,
  grants: ['client_credentials'],
  scopes: ['kit'],
  secret: opaqueToken(),
});

/**
 * Creates a client in the model. Returns what `createClient()` of the model returned: whether the client was created.
 * @throws {SkippedCheck} If the model refuses because the application stores the clients.
 */
export async function createClient(
  context: CheckContext,
  client: Client & { secret: string },
): Promise<boolean | Falsy> {
  try {
    return await modelOf(context).createClient(client, { isRandom: true });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new SkippedCheck(`\`createClient()\` refuses: ${error.message}`);
  }
}

/** Creates a client, runs a check with it, and removes the client afterwards. */
export async function withClient(
  context: CheckContext,
  run: (client: ReturnType<typeof newClient>) => Promise<void>,
): Promise<void> {
  const client = newClient();
  assert(await createClient(context, client), '`createClient()` returns false for a new client. It must return true.');
  try {
    await run(client);
  } finally {
    await modelOf(context).removeClient?.(client.id);
  }
}
