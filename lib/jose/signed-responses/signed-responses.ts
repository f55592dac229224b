import { SIGNED_INTROSPECTION_TYPE } from '../../features/introspection-response.js';
import type { IntrospectionResponseReader } from '../../features/introspected-tokens/response-reader.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { TIMER_SECONDS } from '../../options/value-checks.js';
import { unavailable } from '../../remote/unavailable.js';
import { ISSUER_ROWS, issuerKeys, type IssuerOptions, verifyIssuer } from '../issuer-keys.js';
import { isVerificationError } from '../verification-error.js';
import { verifyJwt } from '../verify-jwt.js';

/** The options of `signedResponses()`: the server that signs the responses, and where its keys are. */
export interface SignedResponsesOptions extends IssuerOptions {
  /** Seconds by which the clock of the authorization server may be ahead. Default: `5`. */
  clockTolerance?: number;
}

/**
 * Maximum age of an introspection response, in seconds. The response describes the token only at the time of the
 * response.
 */
const MAX_AGE = 60;

/**
 * Returns a reader that requests and verifies signed introspection responses:
 * `new IntrospectedTokens({ …, responses: signedResponses({ issuer }) })`. A response that the server has not signed for
 * this API is rejected. RFC 9701 §5, §8.1
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function signedResponses(options: SignedResponsesOptions): IntrospectionResponseReader {
  const settings = verifyIssuer(FEATURE, OPTIONS.read(options));
  const { algorithms, issuer, clockTolerance } = settings;
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
          clockTolerance,
        });
        return payload['token_introspection'];
      } catch (error) {
        if (!isVerificationError(error)) throw error;
        throw unavailable(
          `The introspection response of ${issuer} is not validly signed for the client \`${audience}\`, or has expired`,
          1,
          error,
        );
      }
    },
  };
  const keys = issuerKeys(settings, reader);
  return reader;
}

const FEATURE = '`signedResponses()`';
const OPTIONS = optionTable(FEATURE, {
  ...ISSUER_ROWS,
  clockTolerance: { check: TIMER_SECONDS, default: 5 },
} satisfies OptionRows<SignedResponsesOptions>);
