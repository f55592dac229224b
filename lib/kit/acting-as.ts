import { InvalidArgumentError } from '../errors/index.js';
import { Response } from '../http/response.js';
import { adaptModel } from '../model/adapt-model.js';
import type { Client, Model, User } from '../model/model.js';
import { OAuth2Server } from '../server/server.js';
import { serverToken } from '../server/server-token.js';
import { issueToken } from '../tokens/issue-token.js';
import { bearerRequest } from './requests.js';

/** A Nest application or testing module, as far as the kit uses it. */
interface Container {
  get(token: typeof OAuth2Server | string, options: { strict: false }): unknown;
}

/** Whose tokens: a Nest application or testing module with `OAuth2Module`, a server, or a model. */
export type ActingAsTarget = Container | OAuth2Server | Model;

export interface ActingAsOptions {
  /** The client the token is issued to, or its id. Default: `'testing'` */
  client?: Client | string;
  /** Seconds the token lives. Default: what the server gives */
  accessTokenLifetime?: number;
  /** The `name` of the server, in an application with several. Default: the one without a name */
  server?: string;
}

/**
 * A good access token for a host's own end-to-end tests: `const token = await actingAs(app, user, ['notes:read'])`.
 * @returns the token, to be sent as `Authorization: Bearer …`
 * @throws InvalidArgumentError when the model does not find it again
 */
export async function actingAs(
  target: ActingAsTarget,
  user: User,
  scopes: readonly string[] = [],
  { client = 'testing', accessTokenLifetime, server: name }: ActingAsOptions = {},
): Promise<string> {
  const server = serverOf(target, name);
  const { scopeFormat, issuer, accessTokenLifetime: usual = 3600 } = server.options;
  const model = adaptModel(server.options.model);
  const options = { model, scopeFormat, issuer, accessTokenLifetime: accessTokenLifetime ?? usual };
  const { accessToken } = await issueToken(options, {
    client: typeof client === 'string' ? await findClient(model, client) : client,
    user,
    scope: scopes,
    scopeStatus: 'approved',
  });
  await server.authenticate(bearerRequest(accessToken), new Response()).catch((error: Error) => {
    throw new InvalidArgumentError(
      'Invalid argument: the model saved the token and does not find it again: ' +
        `does it know this user and the client? (${error.message})`,
    );
  });
  return accessToken;
}

function serverOf(target: ActingAsTarget, name: string | undefined): OAuth2Server {
  if ('saveToken' in target) return new OAuth2Server({ model: target });
  if ('authenticate' in target) return target;
  return target.get(serverToken(name), { strict: false }) as OAuth2Server;
}

/** A client that the model does not know may still do: not every model looks it up again. */
async function findClient(model: Model, id: string): Promise<Client> {
  return (await model.getClient?.(id, null)) || { id, grants: [] };
}
