import type { Feature, ServerContext } from '../../contracts/feature.js';
import { AUTHORIZATION_DETAILS } from '../../contracts/authorization-details.js';
import { KNOWN_RESOURCES } from '../../features/resource-indicators/requested-resources.js';
import type { TokenHooks } from '../../contracts/hooks.js';
import type { Request } from '../../http/request.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { isObject } from '../../http/is-object.js';
import { readSignInClaims } from '../../tokens/sign-in-claims.js';
import { ASSERTION, ASSERTION_METHODS, assertionGrant, JWT_BEARER_GRANT } from './assertion-grant.js';
import { AssertionVerifier, invalidAssertion } from './assertion-verifier.js';
import type { JwtBearerOptions, JwtBearerSettings } from './options.js';
import type { TrustedIssuerModel } from './trusted-issuer-model.js';

/** What a server says that redeems identity assertions. ID-JAG §7.2 */
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/**
 * A client redeems what another server has said of a user: an assertion of an issuer that is trusted. The token is kept with `act`,
 * `auth_time`, `acr` and `amr` where the assertion says them. RFC 7521 §4.1, RFC 7523 §2.1
 */
export function jwtBearer(options: JwtBearerOptions = {}): Feature {
  const assertions = new AssertionVerifier(options);
  const { anonymous, issuers } = assertions.settings;
  return {
    id: 'jwtBearer',
    specification: 'RFC 7523 §2.1',
    requires: [...ASSERTION_METHODS],
    grantTypes: [JWT_BEARER_GRANT],
    parameters: { token: { assertion: 'The assertion: a JWT of an issuer that this server trusts.' } },

    install(builder) {
      assertions.issuers.contributeTo(builder);
      const { model } = builder.options;
      return {
        grants: { [JWT_BEARER_GRANT]: assertionGrant(assertions, () => builder.server) },
        ...(anonymous !== undefined && { clientAuthentications: [anonymousClient(anonymous)] }),
        token: tokenHooks({ details: builder.find(AUTHORIZATION_DETAILS), resources: builder.find(KNOWN_RESOURCES) }),
        metadata: () =>
          findsIssuers(model) || issuers.some(({ profile }) => profile === 'id-jag')
            ? { authorization_grant_profiles_supported: [ID_JAG_PROFILE] }
            : {},
        misconfigurations: (server) => findConfigurationErrors(server, assertions.settings),
      };
    },
  };
}

/** Returns the hooks that store with a token what its assertion says. */
function tokenHooks({ details, resources }: { details: () => unknown; resources: () => unknown }): TokenHooks {
  return {
    issue(request) {
      const assertion = request.get(ASSERTION);
      if (!assertion) return;
      // A scope cannot express authorization details, so the token would grant something else without them.
      if (assertion.details?.length && !details())
        throw invalidAssertion({ reason: 'it has no `authorization_details`' });
      Object.assign(request.tokenMembers, storedClaims(assertion.claims));
      // Resources of the assertion are stored here if no other feature stores resources.
      if (assertion.resource.length > 0 && !resources()) request.tokenMembers['resource'] = assertion.resource;
    },
    describe: ({ act }) => (isObject(act) ? { act } : undefined),
  };
}

/** By what a form says which client it is of, or proves that it is of one. */
const CLIENT_PARAMETERS = ['client_id', 'client_secret', 'client_assertion'];

/** A request that says nothing of a client. RFC 7521 §4.1 */
const anonymousClient = (id: string) => ({
  method: 'none',
  readCredentials({ body, headers }: Request) {
    const form = (body ?? {}) as Record<string, unknown>;
    const isSomebody = headers?.['authorization'] || CLIENT_PARAMETERS.some((name) => form[name]);
    return form['grant_type'] === JWT_BEARER_GRANT && !isSomebody ? { id } : undefined;
  },
});

/** How the user signed in there, and who acts for them, as far as it can be read. RFC 8693 §4.1, OpenID Connect Core §2 */
function storedClaims({ act, auth_time, acr, amr }: Readonly<Record<string, unknown>>): object {
  return { ...(isObject(act) && { act }), ...readSignInClaims({ auth_time, acr, amr }) };
}

const findsIssuers = (model: Model & TrustedIssuerModel) => typeof model.findTrustedIssuer === 'function';

function* findConfigurationErrors(
  { options: { issuer, model } }: ServerContext,
  settings: JwtBearerSettings,
): Iterable<string> {
  if (issuer === undefined && settings.audiences.length === 0) {
    yield '`jwtBearer()` needs the option `issuer`, which assertions are made for';
  }
  if (settings.issuers.length === 0 && !findsIssuers(model)) {
    yield '`jwtBearer()` needs a list of `issuers`, whose assertions are redeemed, or a model that knows them by `findTrustedIssuer()`';
  }
  if (!hasOnce(model)) yield '`jwtBearer()` needs the model method `once()`: an assertion is good once';
  const own = settings.issuers.find((one) => one.issuer === issuer);
  if (own) yield `\`jwtBearer()\` trusts the server's own issuer: what it says itself is no ground for a token`;
}
