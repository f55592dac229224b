import { InvalidClientMetadataError } from '../../errors/index.js';
import type { Feature } from '../../contracts/feature.js';
import type { ClientMetadata } from '../../contracts/client-metadata.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { FETCH, FLAG, POSITIVE_SECONDS } from '../../options/value-checks.js';
import { LOGOUT_FIELDS } from './client-fields.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { NotificationFetch } from '../notifications/notification-fetch.js';
import { OPENID } from '../openid-capability.js';
import { LOGOUT } from './logout-capability.js';
import { SignOuts } from './sign-outs.js';

/** The options of `logout()`. */
export interface LogoutOptions {
  /**
   * Whether the grants that clients received in a session are revoked when the session ends, except grants with the
   * scope `offline_access`. Default: `false`. Back-Channel Logout §2.7
   */
  endsGrants?: boolean;
  /**
   * Seconds for which the server remembers that a user has signed in at a client, counted from the latest sign-in.
   * Default: `1209600`, two weeks.
   */
  lifetime?: number;
  /** How the `backchannel_logout_uri` of a client is called. Default: over https and at public addresses only. */
  fetch?: SafeFetchOptions;
}

const FEATURE = '`logout()`';
const OPTIONS = optionTable(FEATURE, {
  endsGrants: { check: FLAG, default: false },
  lifetime: { check: POSITIVE_SECONDS, default: 1_209_600 },
  fetch: { check: FETCH },
} satisfies OptionRows<LogoutOptions>);

/**
 * Signs users out at the clients at which they have signed in, when they sign out at this server. Clients are notified
 * from server to server or in the browser. The notification contains the session (`sid`) of their ID token. OpenID
 * Connect Back-Channel Logout 1.0, Front-Channel Logout 1.0
 * @throws {InvalidArgumentError} If `fetch` is invalid.
 */
export function logout(options: LogoutOptions = {}): Feature {
  const { endsGrants, lifetime, fetch } = OPTIONS.settle(options);
  // Several sessions of a user may end at one client at the same time.
  const logoutSettings = {
    fetch: new NotificationFetch({ concurrencyPerHost: 16, ...fetch }),
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
      builder.provide(LOGOUT, () => (signOuts = new SignOuts(builder.server, provider(), logoutSettings)));
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
        *misconfigurations(server) {
          yield* OPTIONS.findErrors(options);
          if (!server.find(OPENID)) yield `${FEATURE} requires \`openid()\`. Add it to the \`features\``;
        },
      };
    },
  };
}

/**
 * Verifies that the front-channel logout URI has the same origin as one of the redirect URIs. Front-Channel Logout §2
 * @throws {InvalidClientMetadataError} If it has another origin.
 */
function verifyFrontChannel({ frontchannel_logout_uri: uri, redirect_uris: redirectUris = [] }: ClientMetadata): void {
  if (uri === undefined) return;
  const { origin } = new URL(uri);
  if (redirectUris.some((one) => URL.canParse(one) && new URL(one).origin === origin)) return;
  const reason = '`frontchannel_logout_uri` must have the same origin as one of the `redirect_uris`';
  throw new InvalidClientMetadataError(`Invalid client metadata: ${reason}`);
}
