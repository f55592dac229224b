import type { ClientAuthentication } from '../../contracts/client-authentication.js';
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

/** The grant profile that the metadata announces if the server redeems identity assertions. ID-JAG §7.2 */
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/**
 * Adds the JWT bearer grant: a client redeems an assertion about a user that a trusted issuer has signed. The token is
 * stored with `act`, `auth_time`, `acr` and `amr` if the assertion contains them. RFC 7521 §4.1, RFC 7523 §2.1
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function jwtBearer(options: JwtBearerOptions = {}): Feature {
  const assertions = new AssertionVerifier(options);
  const { anonymous, issuers } = assertions.settings;
  return {
    id: 'jwtBearer',
    specification: 'RFC 7523 §2.1',
    settings: { ...assertions.settings, issuers: issuers.length, fetch: options.fetch },
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

/** Returns the token hooks that store claims and resources of the assertion with the token. */
function tokenHooks({ details, resources }: { details: () => unknown; resources: () => unknown }): TokenHooks {
  return {
    issue(request) {
      const assertion = request.get(ASSERTION);
      if (!assertion) return;
      // A scope cannot express authorization details, so the token would grant something else without them.
      if (assertion.details?.length && !details())
        throw invalidAssertion({
          reason: 'assertion contains `authorization_details`, but the server does not support them',
        });
      Object.assign(request.tokenMembers, storedClaims(assertion.claims));
      // If no other feature stores resources, the resources of the assertion are stored with the token here.
      if (assertion.resource.length > 0 && !resources()) request.tokenMembers['resource'] = assertion.resource;
    },
    describe: ({ act }) => (isObject(act) ? { act } : undefined),
  };
}

/** The form parameters that identify or authenticate a client. */
const CLIENT_PARAMETERS = ['client_id', 'client_secret', 'client_assertion'];

/**
 * Returns a client authentication method for requests that contain no client identification. They are treated as
 * requests of the client with this `id`. RFC 7521 §4.1
 */
const anonymousClient = (id: string): ClientAuthentication => ({
  method: 'none',
  readCredentials({ body, headers }: Request) {
    const form = (body ?? {}) as Record<string, unknown>;
    const isIdentified = headers?.['authorization'] || CLIENT_PARAMETERS.some((name) => form[name]);
    return form['grant_type'] === JWT_BEARER_GRANT && !isIdentified ? { id } : undefined;
  },
});

/**
 * Returns the claims to store with the token: how the user signed in at the issuer, and which actor acts for the user.
 * Malformed claims are omitted. RFC 8693 §4.1, OpenID Connect Core §2
 */
function storedClaims({ act, auth_time, acr, amr }: Readonly<Record<string, unknown>>): object {
  return { ...(isObject(act) && { act }), ...readSignInClaims({ auth_time, acr, amr }) };
}

const findsIssuers = (model: Model & TrustedIssuerModel) => typeof model.findTrustedIssuer === 'function';

function* findConfigurationErrors(
  { options: { issuer, model } }: ServerContext,
  settings: JwtBearerSettings,
): Iterable<string> {
  if (issuer === undefined && settings.audiences.length === 0) {
    yield '`jwtBearer()` cannot determine the audience of assertions. Set the option `issuer`, or `audiences` of `jwtBearer()`';
  }
  if (settings.issuers.length === 0 && !findsIssuers(model)) {
    yield '`jwtBearer()` trusts no issuer. Set `issuers` of `jwtBearer()`, or implement the model method `findTrustedIssuer()`';
  }
  if (!hasOnce(model)) yield '`jwtBearer()` requires the model method `once()` to detect replayed assertions';
  const ownIssuer = settings.issuers.find((one) => one.issuer === issuer);
  if (ownIssuer) yield `\`issuers\` of \`jwtBearer()\` must not contain this server's own issuer`;
}
