import type { ServerContext } from '../../contracts/feature.js';
import { AUTHORIZATION_DETAILS } from '../../contracts/authorization-details.js';
import { issuesForResources } from '../../features/resource-indicators/named-resources.js';
import type { OwnUrls } from '../../contracts/own-urls.js';
import type { Request } from '../../http/request.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model } from '../../model/model.js';
import { isObject } from '../../options/kinds.js';
import { signedIn } from '../../tokens/signed-in.js';
import type { TrustingFeature } from '../trusted-issuers/trusted-issuers.js';
import { JWT_BEARER_GRANT, JwtBearerGrantType } from './assertion-grant.js';
import { Assertions, refused } from './assertions.js';
import type { JwtBearerOptions, JwtBearerSettings } from './options.js';
import type { TrustedIssuerModel } from './trusted-issuer-model.js';

/** What a server says that redeems identity assertions. ID-JAG §7.2 */
const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

/**
 * A client redeems what another server has said of a user: an assertion of an issuer that is trusted. The token is kept with `act`,
 * `auth_time`, `acr` and `amr` where the assertion says them. RFC 7521 §4.1, RFC 7523 §2.1
 */
export function jwtBearer(options: JwtBearerOptions = {}): TrustingFeature {
  const assertions = new Assertions(options);
  const { anonymous, issuers } = assertions.settings;
  // Servers may share the feature.
  const targeting = new WeakMap<OwnUrls, boolean>();
  const detailing = new WeakMap<OwnUrls, boolean>();

  class Grant extends JwtBearerGrantType {
    protected readonly assertions = assertions;
  }

  return {
    name: 'RFC 7523 §2.1',
    factory: 'jwtBearer',
    trusting: assertions.issuers,
    requires: [...JwtBearerGrantType.requires],
    grants: { [JWT_BEARER_GRANT]: Grant },
    parameters: { token: { assertion: 'The assertion: a JWT of an issuer that this server trusts.' } },
    ...(anonymous !== undefined && { clientAuthentications: [nobody(anonymous)] }),
    metadata: ({ options: { model } }) =>
      isFinding(model) || issuers.some(({ profile }) => profile === 'id-jag')
        ? { authorization_grant_profiles_supported: [ID_JAG_PROFILE] }
        : {},
    check(server) {
      assertions.serve(server);
      targeting.set(server, issuesForResources(server));
      detailing.set(server, server.find(AUTHORIZATION_DETAILS) !== undefined);
      return [...faultsOf(server, assertions.settings)];
    },
    issue({ asserted, server, token }) {
      if (!asserted) return;
      // They are more than a scope can say: without them nothing is left of what was meant.
      if (asserted.details?.length && !detailing.get(server))
        throw refused({ rule: 'it has no `authorization_details`' });
      Object.assign(token, keptOf(asserted.claims));
      // Where nobody else sees to it that what is for something stays so.
      if (asserted.granted.length > 0 && !targeting.get(server)) token['resource'] = asserted.granted;
    },
    describe: ({ act }) => (isObject(act) ? { act } : undefined),
  };
}

/** By what a form says which client it is of, or proves that it is of one. */
const NAMING = ['client_id', 'client_secret', 'client_assertion'];

/** A request that says nothing of a client. RFC 7521 §4.1 */
const nobody = (id: string) => ({
  method: 'none',
  claim({ body, headers }: Request) {
    const form = (body ?? {}) as Record<string, unknown>;
    const isSomebody = headers?.['authorization'] || NAMING.some((name) => form[name]);
    return form['grant_type'] === JWT_BEARER_GRANT && !isSomebody ? { id } : undefined;
  },
});

/** How the user signed in there, and who acts for them, as far as it can be read. RFC 8693 §4.1, OpenID Connect Core §2 */
function keptOf({ act, auth_time, acr, amr }: Readonly<Record<string, unknown>>): object {
  return { ...(isObject(act) && { act }), ...signedIn({ auth_time, acr, amr }) };
}

const isFinding = (model: Model & TrustedIssuerModel) => typeof model.findTrustedIssuer === 'function';

function* faultsOf({ options: { issuer, model } }: ServerContext, settings: JwtBearerSettings): Iterable<string> {
  if (issuer === undefined && settings.audiences.length === 0) {
    yield '`jwtBearer()` needs the option `issuer`, which assertions are made for';
  }
  if (settings.issuers.length === 0 && !isFinding(model)) {
    yield '`jwtBearer()` needs a list of `issuers`, whose assertions are redeemed, or a model that knows them by `findTrustedIssuer()`';
  }
  if (!hasOnce(model)) yield '`jwtBearer()` needs the model method `once()`: an assertion is good once';
  const own = settings.issuers.find((one) => one.issuer === issuer);
  if (own) yield `\`jwtBearer()\` trusts the server's own issuer: what it says itself is no ground for a token`;
}
