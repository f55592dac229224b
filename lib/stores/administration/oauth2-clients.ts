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
import type { StoredClient } from '../ports.js';
import { verifyClient, verifySeconds, verifySecret } from '../verify-client.js';

/** How clients prove who they are that need a secret. RFC 7591 §2 (`token_endpoint_auth_method`) */
const SECRET_METHODS: readonly unknown[] = [
  undefined,
  null,
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
];

/** A client that was created. */
export interface CreatedClient<C extends Client = StoredClient> {
  client: ManagedClient<C>;
  /** The secret that was made for it: it is shown once, and can be read nowhere. Left out: none was made. */
  secret?: string;
}

/**
 * Administers the clients of a server, over whatever model has the methods of `ClientsModel`, as the ready-made stores have.
 * What could not be served is refused with a sentence before the model hears of it.
 * @typeParam C what your model keeps of clients, if that is something else than the ready-made stores keep
 */
export class OAuth2Clients<C extends Client = StoredClient> {
  /**
   * @param model any that has the methods that are called; those it lacks are told by a sentence
   * @param events who hears of what is done
   */
  constructor(
    private readonly model: object,
    private readonly events?: EventSink,
  ) {}

  /**
   * Creates a client. One that has to prove who it is, and is given no secret, gets one of 256 random bits; one without `id` a
   * random one.
   * @throws InvalidArgumentError for one that could not be served, or whose `id` is taken
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
    verifySeconds(options);
    const isNew = await model.createClient(whole as NewClient<C>, { ...options, isRandom: made !== undefined });
    if (!isNew) throw new InvalidArgumentError('Invalid argument: there is a client by this `id` already');
    this.report('client.registered', { clientId: whole.id });
    const created = { client: (await model.findClient(whole.id)) as ManagedClient<C> };
    return made === undefined ? created : { ...created, secret: made };
  }

  /**
   * Changes some of what is said of a client; `undefined` or `null` takes it away.
   * @returns the client as it is now; undefined: there is none
   * @throws InvalidArgumentError for what could not be served
   */
  async change(clientId: string, changes: ClientChange<C>): Promise<ManagedClient<C> | undefined> {
    const model = this.able('changeClient');
    const changed = await model.changeClient(clientId, (client) => {
      const given = typeof changes === 'function' ? changes(client) : changes;
      const { secrets, createdAt, retiredAt, ...whole } = { ...client, ...given };
      verifyClient(whole);
      return given;
    });
    if (changed) this.report('client.changed', { clientId, change: 'description' });
    return changed || undefined;
  }

  /** A client, retired or not, without what its secrets are. */
  async find(clientId: string): Promise<ManagedClient<C> | undefined> {
    return (await this.able('findClient').findClient(clientId)) || undefined;
  }

  /** Clients in the order of their ids, page by page. */
  async list(options: ListClientsOptions = {}): Promise<ClientList<C>> {
    return this.able('listClients').listClients(options);
  }

  /**
   * Gives a client another secret; those before it are good for another day, or as `overlap` says.
   * @returns undefined: there is no such client
   */
  async rotateSecret(clientId: string, options: RotateOptions = {}): Promise<RotatedSecret | undefined> {
    const model = this.able('rotateClientSecret');
    if (options.secret !== undefined) verifySecret(options.secret);
    verifySeconds(options);
    const rotated = (await model.rotateClientSecret(clientId, options)) || undefined;
    if (rotated) this.report('client.changed', { clientId, change: 'secret' });
    return rotated;
  }

  /** Refuses a client everywhere from now on, and ends all that it was given; it is still kept. @returns is there one? */
  async retire(clientId: string): Promise<boolean> {
    return this.ended('client.disabled', clientId, await this.able('disableClient').disableClient(clientId));
  }

  /** Takes that back: it may ask again, and what it was given before stays over. @returns is there one? */
  async restore(clientId: string): Promise<boolean> {
    const isKnown = await this.able('enableClient').enableClient(clientId);
    if (isKnown) this.report('client.changed', { clientId, change: 'enabled' });
    return isKnown;
  }

  /** Forgets a client, and ends all that it was given. @returns was there one? */
  async remove(clientId: string): Promise<boolean> {
    return this.ended('client.removed', clientId, await this.able('removeClient').removeClient(clientId));
  }

  private ended(name: 'client.disabled' | 'client.removed', clientId: string, isKnown: boolean): boolean {
    if (!isKnown) return false;
    this.report(name, { clientId });
    this.report('grant.ended', { clientId, reason: 'application' });
    return true;
  }

  private report<N extends OAuth2EventName>(name: N, facts: Omit<EventDetails<OAuth2Events[N]>, 'endpoint'>): void {
    if (hasListener(this.events, name))
      reportEvent(this.events, name, { endpoint: 'clients', ...facts } as EventDetails<OAuth2Events[N]>);
  }

  private able<Method extends keyof ClientsModel<C>>(...methods: Method[]): Pick<ClientsModel<C>, Method> {
    requireMethods(this.model as never, methods);
    return this.model as Pick<ClientsModel<C>, Method>;
  }
}
