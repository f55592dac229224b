import { ServerError } from '../../errors/index.js';
import type { Feature, ResponseMode, ServerContext } from '../../contracts/feature.js';
import { writePostPage } from '../../features/form-post/post-page.js';
import { type OptionRows, optionTable, type SettingsOf } from '../../options/option-table.js';
import { ANY, secondsFrom } from '../../options/value-checks.js';
import { fragmentUri, queryUri } from '../../endpoints/authorization/redirects.js';
import type { OutgoingResponse } from '../../contracts/response-mode.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { responseFields, signerFor } from '../encryption/client-signer.js';
import { encryptionFor, encryptionMetadata } from '../encryption/find-encryption.js';
import { KEYS } from '../keys/find-keys.js';
import { findSigningErrors } from '../keys/signing-errors.js';

/** The options of `jarm()`. */
export interface JarmOptions {
  /** The signature algorithm for clients that have registered none. Default: the first algorithm of `keys()`. */
  alg?: SigningAlgorithm;
  /**
   * Seconds for which a response is valid, at most 600. The browser delivers it immediately. Default: `60`. JARM §2.1
   */
  lifetime?: number;
}

/**
 * Signs authorization responses, including errors (JARM). The client can verify that a response comes from this server,
 * is meant for this client, and was not changed. Clients request it with the `response_mode` `jwt`, `query.jwt`,
 * `fragment.jwt` or `form_post.jwt`. JARM
 * @throws {InvalidArgumentError} If an option is unknown.
 */
export function jarm(options: JarmOptions = {}): Feature {
  OPTIONS.assertKnown(options);
  const settings = OPTIONS.settle(options);
  return {
    id: 'jarm',
    specification: 'JARM',

    install(builder) {
      const keys = builder.find(KEYS);
      const signed = (send: Send): ResponseMode['write'] => {
        return async (response, outgoing) => send(response, outgoing, await sign(outgoing, builder.server, settings));
      };
      const responseModes: Readonly<Record<string, ResponseMode>> = {
        jwt: {
          write: signed((...args) => (args[1].defaultMode === 'query' ? byQuery : byFragment)(...args)),
        },
        'query.jwt': { exposed: true, write: signed(byQuery) },
        'fragment.jwt': { write: signed(byFragment) },
        'form_post.jwt': {
          write: signed((response, outgoing, jwt) => writePostPage(response, postForm(outgoing, jwt))),
        },
      };
      return {
        responseModes,
        clientFields: responseFields('authorization'),
        authorization: {
          /**
           * Fail early if the response cannot be encrypted: before the user is asked and before anything is consumed.
           */
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

type Send = (response: Parameters<ResponseMode['write']>[0], outgoing: OutgoingResponse, jwt: string) => void;

const byQuery: Send = (response, { redirectUri }, jwt) => response.redirect(queryUri(redirectUri, { response: jwt }));

const byFragment: Send = (response, { redirectUri }, jwt) =>
  response.redirect(fragmentUri(redirectUri, { response: jwt }));

const postForm = ({ redirectUri }: OutgoingResponse, jwt: string) => ({ redirectUri, parameters: { response: jwt } });

/**
 * Signs an authorization response as a JWT with issuer, audience and expiry. Then encrypts the JWT if the client has
 * registered encryption. JARM §2.1, §2.2
 * @throws {ServerError} If the option `issuer` is not set.
 */
async function sign(
  { client, parameters, issuer }: OutgoingResponse,
  server: ServerContext,
  { alg, lifetime }: SettingsOf<JarmOptions, typeof OPTIONS>,
): Promise<string> {
  if (issuer === undefined)
    throw new ServerError(
      'Server error: cannot sign the authorization response, because the option `issuer` is not set',
    );
  const now = Math.floor(Date.now() / 1000);
  const claims = { ...parameters, iss: issuer, aud: client.id, iat: now, exp: now + lifetime };
  const signer = await signerFor(client, 'authorization', server, alg);
  return await signer.sign({ typ: 'JWT' }, claims);
}

const FEATURE = '`jarm()`';
const OPTIONS = optionTable(FEATURE, {
  alg: { check: ANY },
  lifetime: { check: secondsFrom(1, 600), default: 60 },
} satisfies OptionRows<JarmOptions>);

function* findConfigurationErrors(server: ServerContext, options: JarmOptions): Iterable<string> {
  yield* findSigningErrors(FEATURE, server, options.alg);
  yield* OPTIONS.findErrors(options);
}
