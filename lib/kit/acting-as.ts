import { InvalidArgumentError } from '../errors/index.js';
import { Response } from '../http/response.js';
import { adaptModel } from '../model/adapt-model.js';
import type { Client, Model, User } from '../model/model.js';
import { OAuth2Server } from '../server/server.js';
import { serverToken } from '../server/server-token.js';
import { issueToken } from '../tokens/issue-token.js';
import { bearerRequest } from './requests.js';

/** The part of a Nest application or testing module that `actingAs()` uses to get the server. */
interface Container {
  get(token: typeof OAuth2Server | string, options: { strict: false }): unknown;
}

/**
 * The target for which `actingAs()` issues a token: a Nest application or testing module with `OAuth2Module`, a server,
 * or a model.
 */
export type ActingAsTarget = Container | OAuth2Server | Model;

export interface ActingAsOptions {
  /** The client to issue the token to, or its ID. Default: `'testing'`. */
  client?: Client | string;
  /** Lifetime of the access token in seconds. Default: the server's `accessTokenLifetime`. */
  accessTokenLifetime?: number;
  /** The `name` of the server, in an application with several servers. If omitted, the default server. */
  server?: string;
}

/**
 * Saves a valid access token of a user in the model and returns it, for the end-to-end tests of an application:
 * `const token = await actingAs(app, user, ['notes:read'])`. Send it as `Authorization: Bearer …`.
 * @throws {InvalidArgumentError} If the server does not accept the token, for example because the model does not find
 * it.
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
      'Invalid argument: the model saved the token, but the server does not accept it. ' +
        `Check that the model knows this user and this client. (${error.message})`,
    );
  });
  return accessToken;
}

function serverOf(target: ActingAsTarget, name: string | undefined): OAuth2Server {
  if ('saveToken' in target) return new OAuth2Server({ model: target });
  if ('authenticate' in target) return target;
  return target.get(serverToken(name), { strict: false }) as OAuth2Server;
}

/**
 * Returns the client with this ID from the model. If the model finds none, returns an object with this ID and no
 * grants, since some models never look the client of a token up.
 */
async function findClient(model: Model, id: string): Promise<Client> {
  return (await model.getClient?.(id, null)) || { id, grants: [] };
}
