import { isClientOf } from '../../clients/client-issuer.js';
import { InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import type { OAuth2EventName, OAuth2Events } from '../../events/catalog.js';
import { type EventDetails, hasListener, reportEvent } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { CoreClient, Model } from '../../model/model.js';
import { opaqueToken } from '../../tokens/opaque.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { TOKEN_ENDPOINT_AUTH_METHOD } from '../../clients/registration/client-fields.js';
import { clientFromMetadata, type MetadataClient } from '../../clients/registration/client-from-metadata.js';
import { type ClientPolicy, clientPolicy } from '../../clients/registration/client-policy.js';
import { claimedHost } from '../../clients/registration/sector-host.js';
import { readVerifiedMetadata } from '../../clients/registration/read-metadata.js';
import { newClientId } from '../../clients/registration/client-id.js';
import { readRegistrationBody, readSoftwareStatement } from './read-registration.js';
import { bearerTokenOf, RegistrationAccess } from './registration-access.js';
import type { Registration, RegistrationCredentials, RegistrationModel } from './registration-model.js';
import { type RegistrationOptions, registrationSettings } from './registration-options.js';

/** Members that only the server sets. A client must not send them. RFC 7592 §2.2 */
const SERVER_MEMBERS = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
];

/** Registers clients, and reads, updates and deletes their registrations. RFC 7591 §3, RFC 7592 §2 */
export class Registrar {
  private readonly model: Model & RegistrationModel;
  private readonly options: ReturnType<typeof registrationSettings>;
  private readonly policy: ClientPolicy;
  private readonly access: RegistrationAccess;

  constructor(
    private readonly server: ServerContext,
    options: RegistrationOptions,
  ) {
    this.model = server.options.model as Model & RegistrationModel;
    this.options = registrationSettings(options);
    this.policy = clientPolicy(this.options, server);
    this.access = new RegistrationAccess(server, this.options);
  }

  /**
   * Registers a client. RFC 7591 §3.2.1
   * @returns The response body. It contains the client's secret and registration access token.
   */
  async register(request: Request, response: Response): Promise<object> {
    await this.access.admit(request, response);
    const metadata = await this.read(readRegistrationBody(request));
    await this.access.approve({ metadata }, request);
    const { issuer } = this.server.options;
    const client = {
      ...clientFromMetadata(newClientId(), metadata, this.policy),
      issuer: issuer!,
      requiresSectorProof: true,
    };
    const { unusedLifetime } = this.options;
    const now = Date.now();
    const registration: Registration = {
      client,
      issuedAt: new Date(now - (now % 1000)),
      ...(unusedLifetime > 0 && { expiresAt: new Date(now + unusedLifetime * 1000) }),
    };
    const credentials = {
      registrationAccessToken: opaqueToken(),
      ...(hasSecret(client) && { clientSecret: opaqueToken() }),
    };
    await this.model.saveRegistration(registration, credentials);
    this.report('client.registered', request, { clientId: client.id });
    const { clientSecret, registrationAccessToken }: RegistrationCredentials = credentials;
    return this.responseBody(registration, registrationAccessToken, request, clientSecret);
  }

  /**
   * Finds the registration of a client by its registration access token. `undefined` if the token or the client is
   * unknown, or if the client belongs to another issuer. RFC 7592 §2.1
   */
  async find(clientId: string, token: string): Promise<Registration | undefined> {
    const registration = await this.model.getRegistration(clientId, token);
    return registration && isClientOf(registration.client, this.server.options.issuer, this.server)
      ? registration
      : undefined;
  }

  describe(registration: Registration, request: Request): object {
    return this.responseBody(registration, bearerTokenOf(request)!, request);
  }

  /** Replaces the registered metadata of a client. Members that the request omits are deleted. RFC 7592 §2.2 */
  async update(current: Registration, request: Request): Promise<object> {
    const body = readRegistrationBody(request);
    const { id } = current.client;
    const serverMember = SERVER_MEMBERS.find((name) => Object.hasOwn(body, name));
    if (serverMember !== undefined)
      throw new InvalidRequestError(`Invalid request: \`${serverMember}\` is set by the server only`);
    if (body['client_id'] !== id)
      throw new InvalidRequestError('Invalid request: `client_id` does not match the registration');
    await this.verifySecret(id, body['client_secret']);
    const metadata = await this.read(body, current);
    await this.access.approve({ metadata, client: current.client }, request);
    const client = keepProperties(clientFromMetadata(id, metadata, this.policy), current.client);
    const clientSecret = needsSecret(client, current.client) ? opaqueToken() : undefined;
    const credentials = clientSecret === undefined ? {} : { clientSecret };
    const registration = { ...current, client };
    if (!(await this.model.updateRegistration(registration, credentials))) {
      throw new InvalidTokenError('Invalid token: registration access token is invalid');
    }
    this.report('client.changed', request, { clientId: id, change: 'description' });
    return this.responseBody(registration, bearerTokenOf(request)!, request, clientSecret);
  }

  async remove(registration: Registration, request: Request): Promise<void> {
    await this.model.revokeRegistration(registration);
    const clientId = registration.client.id;
    this.report('client.removed', request, { clientId });
    this.report('grant.ended', request, { clientId, reason: 'revoked' });
  }

  /**
   * Verifies the client secret in an update: a client may repeat its current secret, but not choose a new one.
   * RFC 7592 §2.2
   * @throws {InvalidRequestError} If the secret is wrong.
   */
  private async verifySecret(id: string, secret: unknown): Promise<void> {
    if (secret === undefined) return;
    const isRight = typeof secret === 'string' && secret !== '' && (await this.model.getClient(id, secret));
    if (!isRight) throw new InvalidRequestError('Invalid request: `client_secret` does not match the registration');
  }

  /**
   * Validates the metadata of a registration request. If the model verifies software statements, the claims of the
   * statement override other members. A client that registered with a statement must send one with each update.
   * RFC 7591 §2.3, §3.2.1
   */
  private async read(body: Record<string, unknown>, current?: Registration): Promise<ClientMetadata> {
    const statement = body['software_statement'] ?? undefined;
    if (!this.model.verifySoftwareStatement) return await readVerifiedMetadata(body, this.policy);
    if (statement === undefined && current?.client.metadata?.software_statement === undefined) {
      return await readVerifiedMetadata(body, this.policy);
    }
    const claims = await readSoftwareStatement(statement, this.model);
    return {
      ...(await readVerifiedMetadata({ ...body, ...claims }, this.policy)),
      software_statement: statement as string,
    };
  }

  private report<N extends OAuth2EventName>(
    name: N,
    request: Request,
    details: Omit<EventDetails<OAuth2Events[N]>, 'endpoint'>,
  ): void {
    const { events } = this.server.options;
    if (!hasListener(events, name)) return;
    const payload = { endpoint: 'registration', issuer: this.server.issuerOf(request), ...details };
    reportEvent(events, name, payload as EventDetails<OAuth2Events[N]>);
  }

  private responseBody({ client, issuedAt }: Registration, token: string, request: Request, secret?: string): object {
    const { server } = this;
    const uri = new URL(server.urlOf('registration', server.issuerOf(request))!);
    uri.searchParams.set('client_id', client.id);
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(issuedAt.getTime() / 1000),
      ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
      ...client.metadata,
      registration_access_token: token,
      registration_client_uri: uri.href,
    };
  }
}

/**
 * Copies the properties that an update must keep. A client of an earlier version need not prove its sector until it
 * claims another one, so that its pairwise `sub` stays the same. OpenID Connect Core 1.0 §8.1
 */
function keepProperties(client: MetadataClient, { issuer, ...current }: CoreClient): MetadataClient {
  const mustProve = current.requiresSectorProof === true || claimedHost(client) !== claimedHost(current);
  return { ...client, ...(issuer !== undefined && { issuer }), ...(mustProve && { requiresSectorProof: true }) };
}

/** Whether the client authenticates with a secret, so that it must receive one. RFC 7591 §3.2.1 */
function hasSecret(client: CoreClient): boolean {
  const method = TOKEN_ENDPOINT_AUTH_METHOD.of(client);
  return method === undefined || method.startsWith('client_secret_');
}

/**
 * Whether an update requires a new secret: the client had none, or now signs with its secret, which this server must be
 * able to read.
 */
const needsSecret = (client: CoreClient, current: CoreClient): boolean =>
  hasSecret(client) && (!hasSecret(current) || (isSigning(client) && !isSigning(current)));

const isSigning = (client: CoreClient) => TOKEN_ENDPOINT_AUTH_METHOD.of(client) === 'client_secret_jwt';
