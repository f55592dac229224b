import { SIGNED_INTROSPECTION_TYPE } from '../../features/introspection-response.js';
import type { IntrospectionResponseReader } from '../../features/introspected-tokens/response-reader.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { unavailable } from '../../remote/unavailable.js';
import { ISSUER_OPTIONS, issuerKeys, type IssuerOptions, settleIssuer } from '../issuer-keys.js';
import { isVerificationError } from '../verification-error.js';
import { verifyJwt } from '../verify-jwt.js';

/** What `signedResponses()` takes: whose answers they are, and where the keys of that are. */
export interface SignedResponsesOptions extends IssuerOptions {
  /** Seconds by which the clock of the server may be ahead. Default: 5 */
  clockTolerance?: number;
}

/** Seconds that an answer may have been on its way: it says what was so when it was given. */
const MAX_AGE = 60;

/**
 * For `new IntrospectedTokens({ …, answers: signedResponses({ issuer }) })`: answers are asked for as JWTs, and one that the server has
 * not signed for this API is no answer. RFC 9701 §5, §8.1
 * @throws InvalidArgumentError with a sentence for an option that cannot work
 */
export function signedResponses(options: SignedResponsesOptions): IntrospectionResponseReader {
  assertKnownOptions(options ?? {}, NAMES, FEATURE);
  const settings = settleIssuer(FEATURE, options ?? {});
  const { algorithms, issuer } = settings;
  const reader: IntrospectionResponseReader = {
    type: SIGNED_INTROSPECTION_TYPE,
    async read(text, { audience }) {
      try {
        const { payload } = await verifyJwt(text, keys, {
          algorithms: [...algorithms],
          issuer,
          audience,
          typ: 'token-introspection+jwt',
          requiredClaims: ['iat'],
          maxTokenAge: MAX_AGE,
          clockTolerance: options.clockTolerance ?? 5,
        });
        return payload['token_introspection'];
      } catch (error) {
        if (!isVerificationError(error)) throw error;
        throw unavailable(`The answer of ${issuer} is not signed by it for the client \`${audience}\`, now`, 1, error);
      }
    },
  };
  const keys = issuerKeys(settings, reader);
  return reader;
}

const FEATURE = '`signedAnswers()`';
const NAMES = { ...ISSUER_OPTIONS, clockTolerance: true } as const;
