import type { ClientAuthentication } from '../../contracts/client-authentication.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { FETCH } from '../../options/value-checks.js';
import { Parameters } from '../../http/parameters.js';
import { assertFetchOptions, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { ALGORITHMS, SIGNING_ALGORITHMS, type SigningAlgorithm } from '../algorithms.js';
import { ClientKeys } from '../client-keys/client-keys.js';
import { CLOCK_TOLERANCES } from '../clock-tolerances.js';
import { hasAssertion, isSymmetric, readAssertion, invalidAssertion } from './assertion.js';
import { CLIENT_ASSERTIONS } from './client-assertions.js';
import {
  ASSERTION_ROWS,
  ClientAssertionVerifier,
  findAssertionErrors,
  type AssertionOptions,
  signingAlgMetadata,
  TOKEN_ENDPOINT_AUTH_SIGNING_ALG,
} from './client-assertion-verifier.js';

/** The options of `privateKeyJwt()`. */
export interface PrivateKeyJwtOptions extends AssertionOptions {
  /** The accepted signature algorithms of assertions. Default: every `SigningAlgorithm` that this Node.js supports. */
  algorithms?: readonly SigningAlgorithm[];
  /** How the keys at the `jwks_uri` of a client are fetched. Default: from public addresses only. */
  fetch?: SafeFetchOptions;
}

/**
 * Adds client authentication with `private_key_jwt`: the client signs an assertion with its own private key. It is
 * registered with `tokenEndpointAuthMethod: 'private_key_jwt'` and its public keys, in `jwks` or at `jwksUri`.
 * RFC 7523 §2.2, §3, OpenID Connect Core §9
 * @throws {InvalidArgumentError} If an option is unknown, or `fetch` is invalid.
 */
export function privateKeyJwt(options: PrivateKeyJwtOptions = {}): Feature {
  OPTIONS.assertKnown(options);
  assertFetchOptions(options.fetch);
  const settings = OPTIONS.settle(options);
  const { algorithms, issuerAudienceOnly, clockTolerance } = settings;
  // Servers that share the feature share the fetched keys of clients.
  const authentication = new PrivateKeyJwt(settings);
  return {
    id: 'privateKeyJwt',
    specification: 'RFC 7523 §2.2',

    install(builder) {
      builder.contribute(CLIENT_ASSERTIONS, { issuerAudienceOnly });
      builder.contribute(CLOCK_TOLERANCES, { feature: FEATURE, seconds: clockTolerance });
      return {
        clientAuthentications: [authentication],
        clientFields: [signingAlgorithm(algorithms)],
        *misconfigurations(server) {
          yield* findAssertionErrors(server, settings, FEATURE);
          yield* OPTIONS.findErrors(options);
        },
        metadata: () => signingAlgMetadata(builder.server, algorithms),
      };
    },
  };
}

/**
 * Returns the client field for the signature algorithm of client assertions. It also accepts HS256 if
 * `clientSecretJwt()` is among the features, because that feature registers no field of its own.
 */
const signingAlgorithm = (algorithms: readonly SigningAlgorithm[]) =>
  TOKEN_ENDPOINT_AUTH_SIGNING_ALG.restrict(
    (alg, { clientAuthentications }: ServerContext) =>
      algorithms.some((one) => one === alg) ||
      (alg === 'HS256' && clientAuthentications.some(({ method }) => method === 'client_secret_jwt')),
  );

class PrivateKeyJwt implements ClientAuthentication {
  readonly method = 'private_key_jwt';
  private readonly keys: ClientKeys;
  private readonly assertions: ClientAssertionVerifier;

  constructor({ algorithms, fetch, ...settings }: SettingsOf<PrivateKeyJwtOptions, typeof OPTIONS>) {
    this.keys = new ClientKeys(fetch);
    this.assertions = new ClientAssertionVerifier(algorithms, settings);
  }

  readCredentials: ClientAuthentication['readCredentials'] = (request) =>
    hasAssertion(request) && !isSymmetric(request) ? readAssertion(new Parameters(request)) : undefined;

  verifyCredentials: NonNullable<ClientAuthentication['verifyCredentials']> = async (
    { id, assertion: evidence },
    client,
    context,
  ) => {
    const keys = this.keys.of(client, context.request);
    if (!keys) throw invalidAssertion({ reason: 'client has neither `jwks` nor `jwksUri`' });
    return await this.assertions.verify({ id, evidence: evidence!, client }, keys.find, context);
  };
}

const FEATURE = '`privateKeyJwt()`';
const OPTIONS = optionTable(FEATURE, {
  ...ASSERTION_ROWS,
  algorithms: { check: SIGNING_ALGORITHMS, default: ALGORITHMS },
  fetch: { check: FETCH },
} satisfies OptionRows<PrivateKeyJwtOptions>);
