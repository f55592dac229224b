import type { ClientRequest } from '../../contracts/client-request.js';
import { ServerError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { type Introspection, type IntrospectionWriter, SIGNED } from '../../features/introspection-answer.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { signerFor } from '../encryption/client-signer.js';
import { encryptionMembers, encryptionMetadata } from '../encryption/find-encryption.js';
import { findKeys, isSignedBy } from '../keys/find-keys.js';
import { signingFaults } from '../keys/signing-faults.js';

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
export function signedIntrospection(options: SignedIntrospectionOptions = {}): IntrospectionWriter {
  assertKnownOptions(options, { alg: true }, '`signedIntrospection()`');
  return {
    name: 'RFC 9701',
    factory: 'signedIntrospection',
    clientMembers: { introspection_signed_response_alg: isSignedBy, ...encryptionMembers('introspection') },
    metadata: (server) => ({
      introspection_signing_alg_values_supported: algorithmsOf(server),
      ...encryptionMetadata('introspection', server),
    }),

    check: (server) => [...faultsOf(server, options)],

    writeIntrospection: (said, exchange, server) => (asksForJwt(exchange) ? sign(said, exchange, server) : undefined),
  };

  async function sign(said: Introspection, { client, issuer }: ClientRequest, server: ServerContext): Promise<string> {
    if (issuer === undefined)
      throw new ServerError('Server error: a signed answer names its issuer, and there is none');
    const claims = { iss: issuer, aud: client.id, iat: Math.floor(Date.now() / 1000), token_introspection: said };
    const signer = await signerFor(client, 'introspection', server, options.alg);
    return await signer.sign({ typ: 'token-introspection+jwt' }, claims);
  }
}

function* faultsOf(server: ServerContext, options: SignedIntrospectionOptions): Iterable<string> {
  yield* signingFaults('`signedIntrospection()`', server, options.alg);
  if (!server.endpoints.has('introspection')) {
    yield '`signedIntrospection()` signs the answers of `introspection()`: list that too';
  }
}

const algorithmsOf = (server: ServerContext) => findKeys(server)!.algorithms();

/** Does it name the type, and not by a weight of nothing? RFC 9701 §4, RFC 9110 §12.5.1 */
function asksForJwt({ request }: ClientRequest): boolean {
  const [, weight = ''] = ACCEPTED.exec(request.get('accept') ?? '') ?? [undefined, '0'];
  return !/^0(?:\.0*)?$/.test(weight);
}

const ACCEPTED = new RegExp(
  `(?:^|,)[ \\t]*${SIGNED.replaceAll(/[.+/]/g, '\\$&')}[ \\t]*(?:;[ \\t]*q=([\\d.]+)[ \\t]*)?(?=,|;|$)`,
  'i',
);
