import { InvalidClientMetadataError } from '../../errors/index.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { findFlagErrors } from '../../options/flag-errors.js';
import { assertKnownOptions } from '../../options/unknown-option.js';
import { LOGOUT_FIELDS } from './client-fields.js';
import { assertFetchOptions, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { OPENID } from '../openid-capability.js';
import { LOGOUT } from './logout-capability.js';
import { SignOuts } from './sign-outs.js';

/** What `logout()` takes. */
export interface LogoutOptions {
  /**
   * Does what clients were granted in a session end with it, unless it was for the time when the user is away (`offline_access`)?
   * Default: false. Back-Channel Logout §2.7
   */
  endsGrants?: boolean;
  /** Seconds for which it is remembered where a session has signed in, since the last time. Default: 1 209 600, two weeks */
  lifetime?: number;
  /** How the `backchannel_logout_uri` of a client is told. Default: at public addresses alone, by https */
  fetch?: SafeFetchOptions;
}

const FEATURE = '`logout()`';
const NAMES = { endsGrants: true, lifetime: true, fetch: true } as const;
const TWO_WEEKS = 1_209_600;

/**
 * Who signs out here is signed out at the clients at which they have signed in, by ID tokens that name the session (`sid`): these are told
 * from server to server, or in the browser. OpenID Connect Back-Channel Logout 1.0, Front-Channel Logout 1.0
 * @throws InvalidArgumentError for an option that cannot work
 */
export function logout(options: LogoutOptions = {}): Feature {
  assertKnownOptions(options, NAMES, FEATURE);
  assertFetchOptions(options.fetch);
  const { endsGrants = false, lifetime = TWO_WEEKS, fetch } = options;
  // Several sessions of one user may end at a client at once.
  const means = {
    fetch: new SafeFetch({ concurrencyPerHost: 16, ...fetch }),
    endsGrants,
    lifetime,
  };

  return {
    id: 'logout',
    specification: 'OpenID Connect Back-Channel Logout',
    requires: ['saveSessionClient', 'takeSessionClients', ...(endsGrants ? ['revokeGrant'] : [])],

    install(builder) {
      const provider = builder.use(OPENID);
      let signOuts: SignOuts;
      builder.provide(LOGOUT, () => (signOuts = new SignOuts(builder.server, provider(), means)));
      return {
        clientFields: LOGOUT_FIELDS,
        client: { verifyMetadata: verifyFrontChannel },
        authorization: {
          async respond({ client, grantedScope: scope, issuer, data }, user, parameters) {
            if (parameters['id_token'] === undefined) return;
            await signOuts.recordSignIn({ client, user, scope, issuer, stored: data });
          },
        },
        token: {
          async issue({ code, authorization, issuer }) {
            if (!code || !authorization) return;
            const { client, user, scope, grantId } = authorization;
            await signOuts.recordSignIn({ client, user, scope, issuer, stored: code, grantId });
          },
        },
        metadata: () => ({
          backchannel_logout_supported: true,
          backchannel_logout_session_supported: true,
          // Front-channel logout needs the page that opens the frames.
          ...(builder.server.endpoints.has('logout') && {
            frontchannel_logout_supported: true,
            frontchannel_logout_session_supported: true,
          }),
        }),
        misconfigurations: (server) => findConfigurationErrors(server, options),
      };
    },
  };
}

function* findConfigurationErrors(server: ServerContext, options: LogoutOptions): Iterable<string> {
  const { lifetime = TWO_WEEKS } = options;
  if (!server.find(OPENID)) yield `${FEATURE} signs users out who have signed in by \`openid()\`: list that too`;
  if (!(lifetime > 0 && lifetime < Infinity)) yield `\`lifetime\` of ${FEATURE} must be a number of seconds`;
  yield* findFlagErrors(options, ['endsGrants'], FEATURE);
}

/** What is opened in a browser is where the client is. Front-Channel Logout §2 */
function verifyFrontChannel({ frontchannel_logout_uri: uri, redirect_uris: redirectUris = [] }: ClientMetadata): void {
  if (uri === undefined) return;
  const { origin } = new URL(uri);
  if (redirectUris.some((one) => URL.canParse(one) && new URL(one).origin === origin)) return;
  const what = '`frontchannel_logout_uri` is at no host of its `redirect_uris`';
  throw new InvalidClientMetadataError(`Invalid client metadata: ${what}`);
}
