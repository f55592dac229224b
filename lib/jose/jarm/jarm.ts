import { ServerError } from '../../errors/index.js';
import type { Feature, ResponseMode, ServerContext } from '../../contracts/feature.js';
import { writePostPage } from '../../features/form-post/post-page.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { fragmentUri, queryUri } from '../../endpoints/authorization/redirects.js';
import type { OutgoingResponse } from '../../contracts/response-mode.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { responseFields, signerFor } from '../encryption/client-signer.js';
import { encryptionFor, encryptionMetadata } from '../encryption/find-encryption.js';
import { KEYS } from '../keys/find-keys.js';
import { findSigningErrors } from '../keys/signing-errors.js';

/** What `jarm()` takes. */
export interface JarmOptions {
  /** What answers are signed by, unless the client has registered something else. Default: what `keys()` signs by first */
  alg?: SigningAlgorithm;
  /** Seconds that an answer is good: the browser brings it at once. Default: 60, 600 at most. JARM §2.1 */
  lifetime?: number;
}

/**
 * Answers of the authorization endpoint are signed, errors too: the client sees that they are of this server, for it, and not
 * changed. For clients with the `response_mode` `jwt`, `query.jwt`, `fragment.jwt` or `form_post.jwt`. JARM
 * @throws InvalidArgumentError for an option that there is not
 */
export function jarm(options: JarmOptions = {}): Feature {
  assertKnownOptions(options, NAMES, '`jarm()`');
  return {
    id: 'jarm',
    specification: 'JARM',

    install(builder) {
      const keys = builder.find(KEYS);
      const signed = (send: Send): ResponseMode['write'] => {
        return async (response, answer) => send(response, answer, await sign(answer, builder.server, options));
      };
      const responseModes: Readonly<Record<string, ResponseMode>> = {
        jwt: { write: signed((...answer) => (answer[1].defaultMode === 'query' ? byQuery : byFragment)(...answer)) },
        'query.jwt': { exposed: true, write: signed(byQuery) },
        'fragment.jwt': { write: signed(byFragment) },
        'form_post.jwt': { write: signed((response, answer, jwt) => writePostPage(response, postForm(answer, jwt))) },
      };
      return {
        responseModes,
        clientFields: responseFields('authorization'),
        authorization: {
          /** Fails early: no user is asked, and nothing is consumed, for a response that cannot be encrypted. */
          async read(_, { client, responseMode }) {
            if (!Object.hasOwn(responseModes, responseMode)) return;
            await encryptionFor(client, 'authorization', builder.server);
          },
        },
        metadata: () => ({
          authorization_signing_alg_values_supported: keys()?.algorithms(),
          ...encryptionMetadata('authorization', builder.server),
        }),
        misconfigurations: (server) => findConfigurationErrors(server, options),
      };
    },
  };
}

type Send = (response: Parameters<ResponseMode['write']>[0], answer: OutgoingResponse, jwt: string) => void;

const byQuery: Send = (response, { redirectUri }, jwt) => response.redirect(queryUri(redirectUri, { response: jwt }));

const byFragment: Send = (response, { redirectUri }, jwt) =>
  response.redirect(fragmentUri(redirectUri, { response: jwt }));

const postForm = ({ redirectUri }: OutgoingResponse, jwt: string) => ({ redirectUri, parameters: { response: jwt } });

/** The answer as a JWT: its parameters, from whom it is, for whom, and until when; encrypted, if its client wants that. JARM §2.1, §2.2 */
async function sign(
  { client, parameters, issuer }: OutgoingResponse,
  server: ServerContext,
  { alg, lifetime = DEFAULT_LIFETIME }: JarmOptions,
): Promise<string> {
  if (issuer === undefined) throw new ServerError('Server error: a signed answer names its issuer, and there is none');
  const now = Math.floor(Date.now() / 1000);
  const claims = { ...parameters, iss: issuer, aud: client.id, iat: now, exp: now + lifetime };
  const signer = await signerFor(client, 'authorization', server, alg);
  return await signer.sign({ typ: 'JWT' }, claims);
}

const DEFAULT_LIFETIME = 60;

function* findConfigurationErrors(
  server: ServerContext,
  { alg, lifetime = DEFAULT_LIFETIME }: JarmOptions,
): Iterable<string> {
  yield* findSigningErrors('`jarm()`', server, alg);
  if (!(lifetime > 0 && lifetime <= 600)) yield '`lifetime` of `jarm()` must be a number of seconds, 600 at most';
}

const NAMES = { alg: true, lifetime: true } as const;
