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

/** What `signedIntrospection()` takes. */
export interface SignedIntrospectionOptions {
  /** What answers are signed by, unless the client has registered something else. Default: what `keys()` signs by first */
  alg?: SigningAlgorithm;
}

/**
 * Answers of introspection are signed for clients that ask so by `Accept: application/token-introspection+jwt`: who has to show later
 * what a token was good for has it from the server itself. It stands on `introspection()` and `keys()`. RFC 9701
 * @throws InvalidArgumentError for an option that there is not
 */
export function signedIntrospection(options: SignedIntrospectionOptions = {}): Feature {
  assertKnownOptions(options, { alg: true }, '`signedIntrospection()`');
  return {
    id: 'signedIntrospection',
    specification: 'RFC 9701',

    install(builder) {
      const keys = builder.find(KEYS);
      builder.provide(INTROSPECTION_WRITER, () => ({
        write: (said, request) => (acceptsJwt(request) ? sign(said, request, builder.server, options) : undefined),
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
  said: Introspection,
  { client, issuer }: ClientRequest,
  server: ServerContext,
  { alg }: SignedIntrospectionOptions,
): Promise<string> {
  if (issuer === undefined) throw new ServerError('Server error: a signed answer names its issuer, and there is none');
  const claims = { iss: issuer, aud: client.id, iat: Math.floor(Date.now() / 1000), token_introspection: said };
  const signer = await signerFor(client, 'introspection', server, alg);
  return await signer.sign({ typ: 'token-introspection+jwt' }, claims);
}

function* findConfigurationErrors(server: ServerContext, options: SignedIntrospectionOptions): Iterable<string> {
  yield* findSigningErrors('`signedIntrospection()`', server, options.alg);
  if (!server.endpoints.has('introspection')) {
    yield '`signedIntrospection()` signs the answers of `introspection()`: list that too';
  }
}

/** Does it name the type, and not by a weight of nothing? RFC 9701 §4, RFC 9110 §12.5.1 */
function acceptsJwt({ request }: ClientRequest): boolean {
  const [, weight = ''] = ACCEPT_PATTERN.exec(request.get('accept') ?? '') ?? [undefined, '0'];
  return !/^0(?:\.0*)?$/.test(weight);
}

const ACCEPT_PATTERN = new RegExp(
  `(?:^|,)[ \\t]*${SIGNED_INTROSPECTION_TYPE.replaceAll(/[.+/]/g, '\\$&')}[ \\t]*(?:;[ \\t]*q=([\\d.]+)[ \\t]*)?(?=,|;|$)`,
  'i',
);
