import type { AssertedResources } from '../../jose/jwt-bearer/asserted-resources.js';
import { jwtBearer } from '../../jose/jwt-bearer/jwt-bearer.js';
import type { AssertionIssuer, JwtBearerOptions } from '../../jose/jwt-bearer/options.js';
import type { Feature } from '../../contracts/feature.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, ANY, oneOfTexts } from '../../options/value-checks.js';
import { isAmong } from '../../tokens/audience.js';

/**
 * The options of enterprise-managed authorization: the identity provider of a company decides which clients its
 * employees may use with this MCP server, and nobody is asked for consent. MCP Enterprise-Managed Authorization
 */
export interface EnterpriseOptions extends Pick<JwtBearerOptions, 'maxLifetime' | 'clockTolerance' | 'fetch'> {
  /**
   * The identity providers of the companies, with their keys. `tenants` restricts a provider of several companies to
   * some of them. If omitted, only those that the model method `findTrustedIssuer()` returns are trusted.
   */
  issuers?: readonly Omit<AssertionIssuer, 'profile'>[];
  /**
   * Which clients may redeem assertions. `'documents'`: authenticated clients, and clients with a client ID metadata
   * document that lists the grant `urn:ietf:params:oauth:grant-type:jwt-bearer`, such as Claude. `'confidential'`: only
   * authenticated clients. Default: `'documents'`.
   */
  clients?: 'confidential' | 'documents';
}

const OPTIONS = optionTable('`enterprise` of `mcp()`', {
  issuers: { check: accepts('a list of identity providers', Array.isArray), default: [] },
  clients: { check: oneOfTexts('documents', 'confidential'), default: 'documents' },
  maxLifetime: { check: ANY },
  clockTolerance: { check: ANY },
  fetch: { check: ANY },
} satisfies OptionRows<EnterpriseOptions>);

/**
 * Returns the feature that redeems identity assertions.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export const enterpriseGrant = (options: EnterpriseOptions): Feature => {
  const { issuers, ...settings } = OPTIONS.read(options);
  const profile = { profile: 'id-jag' } as const;
  return jwtBearer({ ...settings, issuers: issuers.map((one) => Object.assign({}, one, profile)) });
};

/**
 * Returns the resources of an identity assertion, which must all belong to this server. An assertion without resource is
 * for the MCP endpoint, if there is only one. MCP Enterprise-Managed Authorization §7.6.2
 */
export const assertedResources =
  (endpoints: () => readonly string[], own: () => readonly string[]): AssertedResources =>
  (resources) => {
    if (resources.length > 0) return resources.every((uri) => isAmong(uri, own())) ? resources : undefined;
    return endpoints().length === 1 ? endpoints() : undefined;
  };
