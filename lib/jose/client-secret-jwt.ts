import { errors, type JWTVerifyGetKey } from 'jose';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import { ServerError } from '../errors/index.js';
import type { Feature } from '../contracts/feature.js';
import { optionTable } from '../options/option-table.js';
import { Parameters } from '../http/parameters.js';
import type { Awaitable, Client } from '../model/model.js';
import { hasAssertion, isSymmetric, readAssertion } from './private-key-jwt/assertion.js';
import {
  ASSERTION_ROWS,
  ClientAssertionVerifier,
  findAssertionErrors,
  type AssertionOptions,
  signingAlgMetadata,
} from './private-key-jwt/client-assertion-verifier.js';

/** The options of `clientSecretJwt()`. */
export type ClientSecretJwtOptions = AssertionOptions;

/**
 * The model interface that `clientSecretJwt()` requires to read client secrets. The built-in stores implement it if
 * their option `encryptSecretsWith` is set.
 */
export interface ClientSecretModel<C extends Client = Client> {
  /**
   * Returns the unexpired secrets of a client as text. Returns an empty list if the client has no secret, or none that
   * can be read.
   */
  getClientSecrets(client: C): Awaitable<readonly string[]>;
}

/**
 * The only accepted signature algorithm of `clientSecretJwt()`. HS384 and HS512 require longer secrets than servers
 * generate. RFC 7518 §3.2
 */
const ALGORITHMS = ['HS256'];

/**
 * `MIN_SECRET_BYTES`: minimum number of bytes of a secret. `MAX_SECRETS`: maximum number of secrets that are tried for
 * one assertion.
 */
const [MIN_SECRET_BYTES, MAX_SECRETS] = [32, 4];

/**
 * Adds client authentication with `client_secret_jwt`: the client signs an assertion with its client secret instead of
 * sending the secret. The client is registered with `tokenEndpointAuthMethod: 'client_secret_jwt'`. The server must be
 * able to read the secret, so a stored hash is not enough. RFC 7523 §2.2, OpenID Connect Core §9
 */
export function clientSecretJwt(options: ClientSecretJwtOptions = {}): Feature {
  OPTIONS.assertKnown(options);
  const settings = OPTIONS.settle(options);
  const authentication = new ClientSecretJwt(settings);
  return {
    id: 'clientSecretJwt',
    specification: 'OpenID Connect Core §9, client_secret_jwt',
    install: (builder) => ({
      clientAuthentications: [authentication],
      *misconfigurations(server) {
        yield* OPTIONS.findErrors(options);
        yield* findAssertionErrors(server, settings, FEATURE);
        if (!(server.options.model as Partial<ClientSecretModel>).getClientSecrets) yield MISSING_METHOD;
      },
      metadata: () => signingAlgMetadata(builder.server, ALGORITHMS),
    }),
  };
}

class ClientSecretJwt implements ClientAuthentication {
  readonly method = 'client_secret_jwt';
  private readonly assertions: ClientAssertionVerifier;

  constructor(settings: Required<ClientSecretJwtOptions>) {
    this.assertions = new ClientAssertionVerifier(ALGORITHMS, settings);
  }

  readCredentials: ClientAuthentication['readCredentials'] = (request) =>
    hasAssertion(request) && isSymmetric(request) ? readAssertion(new Parameters(request)) : undefined;

  verifyCredentials: NonNullable<ClientAuthentication['verifyCredentials']> = async (
    { id, assertion: evidence },
    client,
    context,
  ) => {
    const model = context.model as Partial<ClientSecretModel>;
    if (!model.getClientSecrets) throw new ServerError(`Server error: ${MISSING_METHOD}`);
    const allSecrets = (await model.getClientSecrets(client)).map((secret) => new TextEncoder().encode(secret));
    // Ignore short secrets: an attacker who sees one assertion could find them by brute force.
    const secrets = allSecrets.filter(({ length }) => length >= MIN_SECRET_BYTES).slice(0, MAX_SECRETS);
    return await this.assertions.verify({ id, evidence: evidence!, client }, secretKeys(secrets), context);
  };
}

/**
 * Returns a function that finds the key of an assertion among the secrets of a client. During secret rotation there are
 * several, and `verifyJwt` tries each of them.
 */
function secretKeys(secrets: readonly Uint8Array[]): JWTVerifyGetKey {
  return async () => {
    const [first] = secrets;
    if (first === undefined)
      throw new errors.JWKSNoMatchingKey('the client has no readable secret of at least 32 bytes');
    if (secrets.length === 1) return first;
    throw Object.assign(new errors.JWKSMultipleMatchingKeys(), {
      async *[Symbol.asyncIterator]() {
        yield* secrets;
      },
    });
  };
}

const FEATURE = '`clientSecretJwt()`';
const MISSING_METHOD = `${FEATURE} requires the model method \`getClientSecrets()\`. Set the option \`encryptSecretsWith\` of the store, which otherwise keeps only hashes of secrets`;
const OPTIONS = optionTable(FEATURE, ASSERTION_ROWS);
