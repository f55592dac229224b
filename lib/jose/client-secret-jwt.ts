import { errors, type JWTVerifyGetKey } from 'jose';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import { ServerError } from '../errors/index.js';
import type { Feature, ServerContext } from '../contracts/feature.js';
import { assertKnownOptions } from '../options/unknown-option.js';
import { Parameters } from '../http/parameters.js';
import type { Awaitable, Client } from '../model/model.js';
import { hasAssertion, isSymmetric, readAssertion } from './private-key-jwt/assertion.js';
import {
  ClientAssertionVerifier,
  findAssertionErrors,
  type AssertionOptions,
  signingAlgMetadata,
} from './private-key-jwt/client-assertion-verifier.js';

/** What `clientSecretJwt()` takes. */
export type ClientSecretJwtOptions = AssertionOptions;

/** Knows the secrets of clients that sign with theirs. The ready-made stores do, with their option `encryptSecretsWith`. */
export interface ClientSecretModel<C extends Client = Client> {
  /** The secrets of a client that are good now, as text; of one that has none, or none that can be read, an empty list. */
  getClientSecrets(client: C): Awaitable<readonly string[]>;
}

/** The keys of HMAC with SHA-384 and SHA-512 would have to be longer than the secrets that servers make. RFC 7518 §3.2 */
const ALGORITHMS = ['HS256'];

/** Bytes of a secret, and how many secrets are tried. */
const [SHORTEST, MOST] = [32, 4];

/**
 * A client proves that it knows its secret without sending it: it is registered with `tokenEndpointAuthMethod`
 * `client_secret_jwt`. The server must be able to read the secret, of which it otherwise keeps a hash. RFC 7523 §2.2, OpenID
 * Connect Core §9
 */
export function clientSecretJwt(options: ClientSecretJwtOptions = {}): Feature {
  assertKnownOptions(options, NAMES, FEATURE);
  const authentication = new ClientSecretJwt(options);
  return {
    id: 'clientSecretJwt',
    specification: 'OpenID Connect Core §9, client_secret_jwt',
    install: (builder) => ({
      clientAuthentications: [authentication],
      misconfigurations: (server) => findConfigurationErrors(server, options),
      metadata: () => signingAlgMetadata(builder.server, ALGORITHMS),
    }),
  };
}

class ClientSecretJwt implements ClientAuthentication {
  readonly method = 'client_secret_jwt';
  private readonly assertions: ClientAssertionVerifier;

  constructor(options: ClientSecretJwtOptions) {
    this.assertions = new ClientAssertionVerifier(ALGORITHMS, options);
  }

  readCredentials: ClientAuthentication['readCredentials'] = (request) =>
    hasAssertion(request) && isSymmetric(request) ? readAssertion(new Parameters(request)) : undefined;

  verifyCredentials: NonNullable<ClientAuthentication['verifyCredentials']> = async (
    { id, assertion: evidence },
    client,
    facts,
  ) => {
    const model = facts.model as Partial<ClientSecretModel>;
    if (!model.getClientSecrets) throw new ServerError(`Server error: ${MISSING_METHOD}`);
    const known = (await model.getClientSecrets(client)).map((secret) => new TextEncoder().encode(secret));
    // A short one could be found by who has seen an assertion: better none than that.
    const secrets = known.filter(({ length }) => length >= SHORTEST).slice(0, MOST);
    return await this.assertions.verify({ id, evidence: evidence!, client }, secretKeys(secrets), facts);
  };
}

/** Several while one is being replaced: `verifyJwt` tries them one by one. */
function secretKeys(secrets: readonly Uint8Array[]): JWTVerifyGetKey {
  return async () => {
    const [first] = secrets;
    if (first === undefined) throw new errors.JWKSNoMatchingKey('the client has no secret that can be read');
    if (secrets.length === 1) return first;
    throw Object.assign(new errors.JWKSMultipleMatchingKeys(), {
      async *[Symbol.asyncIterator]() {
        yield* secrets;
      },
    });
  };
}

function* findConfigurationErrors(server: ServerContext, options: ClientSecretJwtOptions): Iterable<string> {
  yield* findAssertionErrors(server, options, FEATURE);
  if (!(server.options.model as Partial<ClientSecretModel>).getClientSecrets) yield MISSING_METHOD;
}

const FEATURE = '`clientSecretJwt()`';
const MISSING_METHOD = `${FEATURE} needs the model method \`getClientSecrets()\`: a store has it with its option \`sealSecretsWith\`, since a hash of a secret verifies no signature`;
const NAMES = { audiences: true, issuerAudienceOnly: true, clockTolerance: true, maxLifetime: true } as const;
