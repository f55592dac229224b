import type { ClientRequest } from '../../contracts/client-request.js';
import { ServerError } from '../../errors/index.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import {
  INTROSPECTION_WRITER,
  type Introspection,
  SIGNED_INTROSPECTION_TYPE,
} from '../../features/introspection-response.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { responseFields, signerFor } from '../encryption/client-signer.js';
import { encryptionMetadata } from '../encryption/find-encryption.js';
import { KEYS } from '../keys/find-keys.js';
import { findSigningErrors } from '../keys/signing-errors.js';

/** The options of `signedIntrospection()`. */
export interface SignedIntrospectionOptions {
  /** The signature algorithm for clients that have registered none. Default: the first algorithm of `keys()`. */
  alg?: SigningAlgorithm;
}

/**
 * Signs introspection responses for clients that send `Accept: application/token-introspection+jwt`. With a signed
 * response, an API can prove later what a token was valid for. Requires `introspection()` and `keys()`. RFC 9701
 * @throws {InvalidArgumentError} If an option is unknown.
 */
export function signedIntrospection(options: SignedIntrospectionOptions = {}): Feature {
  assertKnownOptions(options, { alg: true }, '`signedIntrospection()`');
  return {
    id: 'signedIntrospection',
    specification: 'RFC 9701',

    install(builder) {
      const keys = builder.find(KEYS);
      builder.provide(INTROSPECTION_WRITER, () => ({
        write: (introspection, request) =>
          acceptsJwt(request) ? sign(introspection, request, builder.server, options) : undefined,
      }));
      return {
        clientFields: responseFields('introspection'),
        metadata: () => ({
          introspection_signing_alg_values_supported: keys()?.algorithms(),
          ...encryptionMetadata('introspection', builder.server),
        }),
        misconfigurations: (server) => findConfigurationErrors(server, options),
      };
    },
  };
}

async function sign(
  introspection: Introspection,
  { client, issuer }: ClientRequest,
  server: ServerContext,
  { alg }: SignedIntrospectionOptions,
): Promise<string> {
  if (issuer === undefined)
    throw new ServerError('Server error: cannot sign the response, because the option `issuer` is not set');
  const claims = {
    iss: issuer,
    aud: client.id,
    iat: Math.floor(Date.now() / 1000),
    token_introspection: introspection,
  };
  const signer = await signerFor(client, 'introspection', server, alg);
  return await signer.sign({ typ: 'token-introspection+jwt' }, claims);
}

function* findConfigurationErrors(server: ServerContext, options: SignedIntrospectionOptions): Iterable<string> {
  yield* findSigningErrors('`signedIntrospection()`', server, options.alg);
  if (!server.endpoints.has('introspection')) {
    yield '`signedIntrospection()` requires `introspection()`. Add it to the `features`';
  }
}

/**
 * Whether the `Accept` header contains the media type of signed introspection responses with a weight above zero. RFC
 * 9701 §4, RFC 9110 §12.5.1
 */
function acceptsJwt({ request }: ClientRequest): boolean {
  const [, weight = ''] = ACCEPT_PATTERN.exec(request.get('accept') ?? '') ?? [undefined, '0'];
  return !/^0(?:\.0*)?$/.test(weight);
}

const ACCEPT_PATTERN = new RegExp(
  `(?:^|,)[ \\t]*${SIGNED_INTROSPECTION_TYPE.replaceAll(/[.+/]/g, '\\$&')}[ \\t]*(?:;[ \\t]*q=([\\d.]+)[ \\t]*)?(?=,|;|$)`,
  'i',
);
