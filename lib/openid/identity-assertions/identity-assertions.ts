import type { ClientRequest } from '../../contracts/client-request.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { ForeignToken, VerifiedToken } from '../../features/token-exchange/exchange-model.js';
import { OTHER_TOKENS } from '../../features/token-exchange/other-tokens.js';
import { invalidTokenError } from '../../features/token-exchange/presented-tokens.js';
import { EXCHANGE_GRANT } from '../../features/token-exchange/token-exchange.js';
import { ID_JAG, ID_TOKEN } from '../../features/token-exchange/token-types.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { ANY, secondsFrom } from '../../options/value-checks.js';
import type { SigningAlgorithm } from '../../jose/algorithms.js';
import { findAlgErrors } from '../../jose/keys/signing-errors.js';
import type { AssertionClaims } from '../../jose/trusted-issuers/asserted-model.js';
import type { Model } from '../../model/model.js';
import { OPENID } from '../openid-capability.js';
import type { IdentityAssertionModel } from './assertion-model.js';
import { issueAssertion } from './issue-assertion.js';

/** The options of `identityAssertions()`. */
export interface IdentityAssertionsOptions {
  /**
   * Seconds for which an assertion is valid, but never longer than the ID token that it is issued for. Default: `300`.
   */
  lifetime?: number;
  /** The signature algorithm. Default: the first algorithm of `keys()`. */
  alg?: SigningAlgorithm;
}

/** The metadata member that announces identity assertions. ID-JAG §7.1 */
const ISSUED_TYPES_MEMBER = 'identity_chaining_requested_token_types_supported';

/**
 * Issues identity assertions (cross-app access): a client at which a user has signed in exchanges the ID token for an
 * assertion, and redeems it at another server that trusts this one. For this purpose, `tokenExchange()` accepts ID
 * tokens and refresh tokens of this server. draft-ietf-oauth-identity-assertion-authz-grant
 */
export function identityAssertions(options: IdentityAssertionsOptions = {}): Feature {
  const { lifetime, alg } = OPTIONS.settle(options);
  return {
    id: 'identityAssertions',
    specification: 'ID-JAG',
    requires: ['findAssertedUser', 'mayAssert'],
    install(builder) {
      builder.contribute(OTHER_TOKENS, {
        read: (token, request) => readIdToken(token, request, builder.server),
        issues: {
          [ID_JAG]: (exchange, request) => issueAssertion(exchange, request, { server: builder.server, lifetime, alg }),
        },
      });
      return {
        metadata: () => ({ [ISSUED_TYPES_MEMBER]: [ID_JAG] }),
        misconfigurations: (server) => findConfigurationErrors(server, options),
      };
    },
  };
}

/**
 * Reads an ID token of this server that was issued to the client. Returns `undefined` for any other kind of token.
 * ID-JAG §4.3
 */
async function readIdToken(
  { as, type, value }: ForeignToken,
  { client, issuer, options }: ClientRequest,
  server: ServerContext,
): Promise<VerifiedToken | undefined> {
  if (type !== ID_TOKEN) return undefined;
  const hint = await server.find(OPENID)!.readHint(value, issuer);
  if (!hint) return undefined;
  const { claims, clientId, sub } = hint;
  const detail = { reason: 'ID token was issued to another client', expected: clientId, given: client.id };
  if (clientId !== client.id) throw invalidTokenError(as).because(detail);
  const model = options.model as Model & IdentityAssertionModel;
  const user = await model.findAssertedUser(claims as AssertionClaims, client);
  if (!user)
    throw invalidTokenError(as).because({
      reason: '`findAssertedUser()` returned no user for the ID token',
      given: sub,
    });
  return { user, expiresAt: new Date(Number(claims['exp']) * 1000), allClaims: claims };
}

const FEATURE = '`identityAssertions()`';
const OPTIONS = optionTable(FEATURE, {
  lifetime: { check: secondsFrom(1, 3600), default: 300 },
  alg: { check: ANY },
} satisfies OptionRows<IdentityAssertionsOptions>);

function* findConfigurationErrors(server: ServerContext, options: IdentityAssertionsOptions): Iterable<string> {
  yield* OPTIONS.findErrors(options);
  if (!server.find(OPENID)) yield `${FEATURE} requires \`openid()\`. Add it to the \`features\``;
  if (!server.grants.has(EXCHANGE_GRANT)) yield `${FEATURE} requires \`tokenExchange()\`. Add it to the \`features\``;
  yield* findAlgErrors(FEATURE, server, options.alg);
}
