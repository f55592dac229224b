import { randomBytes, randomUUID } from 'node:crypto';

import { InvalidArgumentError } from '../../errors/index.js';
import type { OAuth2EventName, OAuth2Events } from '../../events/catalog.js';
import { type EventSink, type EventDetails, hasListener, reportEvent } from '../../events/events.js';
import type {
  ClientChange,
  ClientList,
  ClientsModel,
  ListClientsOptions,
  ManagedClient,
  NewClient,
  RotatedSecret,
  RotateOptions,
  SecretOptions,
} from '../../model/clients.js';
import type { Client } from '../../model/model.js';
import { requireMethods } from '../../model/require-methods.js';
import type { StoredClient } from '../contract/ports.js';
import { rejectClientMistake } from '../clients/client-mistakes.js';
import { verifyClient, verifySeconds, verifySecret } from '../clients/verify-client.js';

/**
 * Client authentication methods with a client secret. `undefined` is one of them, since it means `client_secret_basic`.
 * RFC 7591 §2 (`token_endpoint_auth_method`)
 */
const SECRET_METHODS: readonly unknown[] = [
  undefined,
  null,
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
];

/** The result of `OAuth2Clients.create()`: the new client, and its secret if one was generated. */
export interface CreatedClient<C extends Client = StoredClient> {
  client: ManagedClient<C>;
  /**
   * The generated secret. It is returned only here and cannot be read later. `undefined` if no secret was generated.
   */
  secret?: string;
}

/**
 * Administers the clients of a server. It works with every model that has the methods of `ClientsModel`, as the
 * ready-made stores do. Invalid clients are rejected before the model is called.
 * @typeParam C the client type of your model, if it differs from the client type of the ready-made stores
 */
export class OAuth2Clients<C extends Client = StoredClient> {
  /**
   * @param model A model with the methods of `ClientsModel`. Calling a method of this class rejects if the model lacks
   * a method for it, and names the missing method.
   * @param events receives an event about each change of a client
   */
  constructor(
    private readonly model: object,
    private readonly events?: EventSink,
  ) {}

  /**
   * Creates a client. If `id` is omitted, the client gets a random ID. If its authentication method requires a secret
   * and none is passed, the client gets a secret of 256 random bits.
   * @throws {InvalidArgumentError} If the client is invalid, or a client with this ID exists.
   */
  async create(
    client: Omit<NewClient<C>, 'id'> & { id?: string },
    options: SecretOptions = {},
  ): Promise<CreatedClient<C>> {
    const model = this.able('createClient', 'findClient');
    const needsSecret =
      SECRET_METHODS.includes(client.tokenEndpointAuthMethod) && (client.secret ?? undefined) === undefined;
    const made = needsSecret ? randomBytes(32).toString('base64url') : undefined;
    const whole = { ...client, id: client.id ?? randomUUID(), ...(made !== undefined && { secret: made }) };
    verifyClient(whole);
    rejectClientMistake(whole);
    verifySeconds(options);
    const isNew = await model.createClient(whole as NewClient<C>, { ...options, isRandom: made !== undefined });
    if (!isNew) throw new InvalidArgumentError('Invalid argument: a client with this `id` already exists');
    this.report('client.registered', { clientId: whole.id });
    const created = { client: (await model.findClient(whole.id)) as ManagedClient<C> };
    return made === undefined ? created : { ...created, secret: made };
  }

  /**
   * Changes some fields of a client. Fields whose new value is `undefined` or `null` are removed.
   * @param changes The changed fields, or a function that gets the client and returns them. The function may be called
   * more than once.
   * @returns the changed client, or `undefined` if no client with this ID exists
   * @throws {InvalidArgumentError} If the changed client is invalid.
   */
  async change(clientId: string, changes: ClientChange<C>): Promise<ManagedClient<C> | undefined> {
    const model = this.able('changeClient');
    const changed = await model.changeClient(clientId, (client) => {
      const newFields = typeof changes === 'function' ? changes(client) : changes;
      const { secrets, createdAt, disabledAt, ...whole } = { ...client, ...newFields };
      verifyClient(whole);
      rejectClientMistake(newFields as Partial<StoredClient>, clientId);
      return newFields;
    });
    if (changed) this.report('client.changed', { clientId, change: 'description' });
    return changed || undefined;
  }

  /**
   * Returns a client without its secrets, also if it is disabled. Returns `undefined` if no client with this ID exists.
   */
  async find(clientId: string): Promise<ManagedClient<C> | undefined> {
    return (await this.able('findClient').findClient(clientId)) || undefined;
  }

  /**
   * Returns a page of the clients, in the order of their IDs. Disabled clients are included unless the options exclude
   * them.
   */
  async list(options: ListClientsOptions = {}): Promise<ClientList<C>> {
    return this.able('listClients').listClients(options);
  }

  /**
   * Adds a new secret to a client. Its other secrets expire after `overlap` seconds, or earlier if they already have an
   * earlier expiry. Default of `overlap`: `86400`, a day.
   * @returns the new secret, or `undefined` if no client with this ID exists
   * @throws {InvalidArgumentError} If the secret, `overlap` or `secretLifetime` is invalid.
   */
  async rotateSecret(clientId: string, options: RotateOptions = {}): Promise<RotatedSecret | undefined> {
    const model = this.able('rotateClientSecret');
    if (options.secret !== undefined) verifySecret(options.secret);
    verifySeconds(options);
    const rotated = (await model.rotateClientSecret(clientId, options)) || undefined;
    if (rotated) this.report('client.changed', { clientId, change: 'secret' });
    return rotated;
  }

  /**
   * Disables a client: its grants are revoked, and the server rejects every request of the client until `enable()` is
   * called. The client stays stored.
   * @returns whether a client with this ID exists
   */
  async disable(clientId: string): Promise<boolean> {
    return this.reportRevoked('client.disabled', clientId, await this.able('disableClient').disableClient(clientId));
  }

  /**
   * Enables a disabled client again. Grants that were revoked when it was disabled stay revoked.
   * @returns whether a client with this ID exists
   */
  async enable(clientId: string): Promise<boolean> {
    const isKnown = await this.able('enableClient').enableClient(clientId);
    if (isKnown) this.report('client.changed', { clientId, change: 'enabled' });
    return isKnown;
  }

  /**
   * Removes a client and revokes its grants.
   * @returns whether the client existed
   */
  async remove(clientId: string): Promise<boolean> {
    return this.reportRevoked('client.removed', clientId, await this.able('removeClient').removeClient(clientId));
  }

  private reportRevoked(name: 'client.disabled' | 'client.removed', clientId: string, isKnown: boolean): boolean {
    if (!isKnown) return false;
    this.report(name, { clientId });
    this.report('grant.ended', { clientId, reason: 'application' });
    return true;
  }

  private report<N extends OAuth2EventName>(name: N, details: Omit<EventDetails<OAuth2Events[N]>, 'endpoint'>): void {
    if (hasListener(this.events, name))
      reportEvent(this.events, name, { endpoint: 'clients', ...details } as EventDetails<OAuth2Events[N]>);
  }

  private able<Method extends keyof ClientsModel<C>>(...methods: Method[]): Pick<ClientsModel<C>, Method> {
    requireMethods(this.model as never, methods);
    return this.model as Pick<ClientsModel<C>, Method>;
  }
}
