import { SIGNED } from '../../features/introspection-answer.js';
import type { AnswerReader } from '../../features/introspected-tokens/answer-reader.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { unavailable } from '../../remote/unavailable.js';
import { ISSUER_OPTIONS, issuerKeys, type IssuerOptions, settleIssuer } from '../issuer-keys.js';
import { isNotVerified } from '../not-verified.js';
import { verifyJwt } from '../verify-jwt.js';

/** What `signedAnswers()` takes: whose answers they are, and where the keys of that are. */
export interface SignedAnswersOptions extends IssuerOptions {
  /** Seconds by which the clock of the server may be ahead. Default: 5 */
  clockTolerance?: number;
}

/** Seconds that an answer may have been on its way: it says what was so when it was given. */
const OLDEST = 60;

/**
 * For `new IntrospectedTokens({ …, answers: signedAnswers({ issuer }) })`: answers are asked for as JWTs, and one that the server has
 * not signed for this API is no answer. RFC 9701 §5, §8.1
 * @throws InvalidArgumentError with a sentence for an option that cannot work
 */
export function signedAnswers(options: SignedAnswersOptions): AnswerReader {
  assertKnownOptions(options ?? {}, NAMES, PLACE);
  const settings = settleIssuer(PLACE, options ?? {});
  const { algorithms, issuer } = settings;
  const reader: AnswerReader = {
    type: SIGNED,
    async read(text, { audience }) {
      try {
        const { payload } = await verifyJwt(text, keys, {
          algorithms: [...algorithms],
          issuer,
          audience,
          typ: 'token-introspection+jwt',
          requiredClaims: ['iat'],
          maxTokenAge: OLDEST,
          clockTolerance: options.clockTolerance ?? 5,
        });
        return payload['token_introspection'];
      } catch (error) {
        if (!isNotVerified(error)) throw error;
        throw unavailable(`The answer of ${issuer} is not signed by it for the client \`${audience}\`, now`, 1, error);
      }
    },
  };
  const keys = issuerKeys(settings, reader);
  return reader;
}

const PLACE = '`signedAnswers()`';
const NAMES = { ...ISSUER_OPTIONS, clockTolerance: true } as const;
