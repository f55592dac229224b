import { InvalidArgumentError, OAuth2Clients } from '../../../lib/index.js';
import type { Random } from './random.js';
import { LabKey } from './jwt.js';
import { NotApplicable } from './outcome.js';
import type { AttackLabOptions, ExistingLabClient, LabClientSource, NewLabClient } from './options.js';
import type { Target } from './target.js';

/** A client of the lab. */
export interface LabClient {
  readonly id: string;
  readonly secret: string | undefined;
  readonly method: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The key of its client assertions and request objects. */
  readonly key: LabKey;
}

/** The properties of a client that an attack needs. */
export interface ClientShape {
  isPublic?: boolean;
  grants?: readonly string[];
  redirectUris?: readonly string[];
  scopes?: readonly string[];
  /** Further fields of `StoredClient`. */
  more?: Readonly<Record<string, unknown>>;
}

/** The grants of the clients of the lab, as far as the server supports them. */
const USER_GRANTS = ['authorization_code', 'refresh_token'];
/** The client authentication methods that the lab supports, the preferred one first. */
const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** Creates the clients of the lab and removes them afterwards. */
export class LabClients {
  readonly method: (typeof METHODS)[number] | undefined;
  readonly allowsPublic: boolean;
  /** Whether the lab can create clients with any fields. */
  readonly canCreate: boolean;
  private readonly source: LabClientSource;
  private readonly existing: ExistingLabClient[] | undefined;
  private readonly created: string[] = [];

  constructor(
    private readonly target: Target,
    { clients }: AttackLabOptions,
    private readonly random: Random,
  ) {
    const { context, options } = target.server;
    const methods = new Set(context.clientAuthentications.map(({ method }) => method));
    for (const forbidden of context.forbiddenAuthenticationMethods) methods.delete(forbidden);
    this.method = METHODS.find((method) => methods.has(method));
    this.allowsPublic = methods.has('none');
    this.existing = isList(clients) ? [...clients] : undefined;
    this.canCreate = !isList(clients);
    const service = new OAuth2Clients(options.model);
    this.source =
      clients && !isList(clients)
        ? clients
        : {
            // The service generates the secret, so that the store needs no slow hash.
            create: ({ secret: _, ...client }) => service.create(client),
            remove: (id) => service.remove(id),
          };
  }

  /**
   * Creates a client, or takes one that exists.
   * @throws {NotApplicable} If the server does not support such clients.
   */
  async create(role: string, shape: ClientShape = {}): Promise<LabClient> {
    const isPublic = shape.isPublic === true;
    const method = isPublic ? 'none' : this.method;
    if (method === undefined) throw new NotApplicable('the lab supports no client authentication method of the server');
    if (isPublic && !this.allowsPublic) throw new NotApplicable('the server accepts no public clients');
    const grants = shape.grants ?? USER_GRANTS.filter((grant) => this.target.server.context.grants.has(grant));
    if (this.existing) return this.take(isPublic, grants, shape);
    const id = `attack-lab-${role}-${this.random.next(8)}`;
    const key = new LabKey(id);
    const secret = method.startsWith('client_secret') ? this.random.next(32) : undefined;
    const redirectUris = shape.redirectUris ?? [`https://${role}.attack-lab.example/callback`];
    const client: NewLabClient = {
      id,
      name: `Attack lab (${role})`,
      ...(secret !== undefined && { secret }),
      grants,
      redirectUris: grants.includes('authorization_code') ? redirectUris : [],
      scopes: shape.scopes ?? this.target.scopes,
      tokenEndpointAuthMethod: method,
      ...(this.usesKeys(method) && { jwks: { keys: [key.jwk] } }),
      ...(this.target.issuer !== undefined && { issuer: this.target.issuer }),
      ...shape.more,
    };
    this.created.push(id);
    const made = (await this.source.create(client)) as { secret?: string } | undefined;
    return {
      id,
      secret: secret && (made?.secret ?? secret),
      method,
      redirectUri: redirectUris[0]!,
      scopes: client.scopes,
      key,
    };
  }

  /** Removes a client at the end that was created in another way, for example by dynamic registration. */
  removeLater(id: string): void {
    this.created.push(id);
  }

  /** Removes all clients that were created, with everything that was issued to them. */
  async removeAll(): Promise<void> {
    for (const id of this.created.splice(0)) await this.source.remove(id);
  }

  private usesKeys = (method: string) =>
    method === 'private_key_jwt' || ['requestObjects', 'privateKeyJwt'].some((id) => this.target.features.has(id));

  private take(isPublic: boolean, grants: readonly string[], { redirectUris, scopes, more }: ClientShape): LabClient {
    if (redirectUris || scopes || more) throw new NotApplicable('the lab cannot create clients: `clients` is a list');
    const at = this.existing!.findIndex(
      (client) => (client.secret === undefined) === isPublic && grants.every((grant) => client.grants.includes(grant)),
    );
    if (at < 0) {
      const kind = isPublic ? 'public' : 'confidential';
      throw new NotApplicable(`\`clients\` lists no further ${kind} client with the grants ${grants.join(', ')}`);
    }
    const [client] = this.existing!.splice(at, 1);
    const method = isPublic ? 'none' : this.method!;
    if (method === 'private_key_jwt') {
      throw new InvalidArgumentError('Invalid argument: `clients` must create clients if they authenticate with keys');
    }
    return { ...client!, secret: client!.secret, method, key: new LabKey(client!.id) };
  }
}

const isList = (clients: AttackLabOptions['clients']): clients is readonly ExistingLabClient[] =>
  Array.isArray(clients);
