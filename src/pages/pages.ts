import { OPENID } from '../../lib/adapter/index.js';
import { type Endpoint, type Feature, type Handler, injects, type OAuth2Server, type User } from '../../lib/index.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import { SESSION_ACCESS } from '../guards/session-access.js';
import { INTERACTION } from '../interaction/interactive-feature.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { ApplicationsEndpoint } from './applications-endpoint.js';
import { DeviceEndpoint } from './device-endpoint.js';
import { LoginEndpoint } from './login/login-endpoint.js';
import { AcceptedSessions } from './sessions/accepted-sessions.js';
import { LogoutEndpoint } from './sessions/logout-endpoint.js';
import { SecondFactorEndpoint } from './second-factor/endpoint.js';
import { THROTTLE } from './login/attempts.js';
import { findSecondFactorErrors, SECOND_FACTOR } from './second-factor/options.js';
import { PagesInteraction } from './pages-interaction.js';
import { type PagesOptions, resolvePagesOptions } from './pages-options.js';
import { Site } from './site.js';
import { SiteSessions } from './sessions/site-sessions.js';

/** The feature that `pages()` returns. */
export interface Pages extends Feature {
  /**
   * Returns the user who is signed in in the browser of an Express or Fastify request, for the application's own pages.
   * `undefined` if no user is signed in.
   */
  findUser(request: unknown, server: Pick<OAuth2Server, 'context'>): Promise<User | undefined>;
}

/**
 * Adds ready-made pages: login, consent, choice of an account, sign-out, errors, and the applications with access to an
 * account. By default the model verifies passwords with `getUser()` and stores login sessions.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function pages(options: PagesOptions = {}): Pages {
  const resolved = resolvePagesOptions(options);
  const at = (path: string, Handler: new (site: Site) => Handler): Endpoint => ({
    path,
    methods: ['GET', 'HEAD', 'POST'],
    description: { summary: 'A page for the user' },
    make: (server) => new Handler(new Site(server, resolved)),
  });
  const signIn = resolved.login === undefined && {
    login: at('oauth/login', LoginEndpoint),
    logout: at('oauth/logout', LogoutEndpoint),
  };
  const { secondFactor, throttle } = resolved;
  const codes = secondFactor && { second_factor: at('oauth/second_factor', SecondFactorEndpoint) };
  const lists = options.applications !== false && { applications: at('oauth/applications', ApplicationsEndpoint) };
  const devices = options.devices === true && { device: at('oauth/device', DeviceEndpoint) };
  return {
    id: 'pages',
    requires: [
      ...(resolved.sessions ? [] : ['saveSession', 'getSession', 'revokeSession']),
      ...(resolved.rememberLifetime === undefined ? [] : ['findRememberedSession', 'continueSession']),
      ...(signIn ? ['getUser'] : []),
      ...(lists ? ['listApplications', 'revokeGrantsOf'] : []),
      ...(resolved.signOutEndsGrants && !lists ? ['revokeGrantsOf'] : []),
    ],
    endpoints: { ...signIn, ...codes, ...lists, ...devices },
    async findUser(native, server) {
      const request = toOAuthRequest(native as NativeRequest);
      const { context } = (await tenantServersOf(server)?.find(request)) ?? server;
      return (await new Site(context, resolved).findUser(request)) || undefined;
    },
    settings: {
      sessionLifetime: resolved.sessionLifetime,
      rememberLifetime: resolved.rememberLifetime,
      signOutEndsGrants: resolved.signOutEndsGrants,
      sessions: resolved.sessions !== undefined,
      secondFactor: secondFactor !== undefined,
      throttle: resolved.throttle !== undefined,
      fetch: options.clientLogos,
    },
    provides: [INTERACTION, SESSION_ACCESS],
    injects: [
      ...(secondFactor
        ? [
            injects(SECOND_FACTOR, 'secondFactor.by', secondFactor.by, {
              methods: ['isEnrolled', 'verify'],
              optionalMethods: ['send'],
            }),
          ]
        : []),
      ...(throttle
        ? [injects(THROTTLE, 'throttle', throttle, { methods: ['count'], optionalMethods: ['giveBack'] })]
        : []),
    ],
    install(builder) {
      builder.provide(INTERACTION, () => ({
        make: () => new PagesInteraction(new Site(builder.server, resolved)),
        sessions: () => new SiteSessions(new Site(builder.server, resolved)),
      }));
      builder.provide(SESSION_ACCESS, () => new AcceptedSessions(new Site(builder.server, resolved)));
      return {
        misconfigurations: (server) => [
          ...(secondFactor ? findSecondFactorErrors(secondFactor, server) : []),
          ...(devices && !server.endpoints.has('device_authorization')
            ? [
                '`devices` of `pages()` requires the feature `deviceAuthorization()`: add it to `features`, or remove `devices`',
              ]
            : []),
          ...(resolved.sessions && !resolved.sessions.howSignedIn && server.find(OPENID)
            ? [
                '`openid()` reports to clients when users signed in: add a method `howSignedIn()` to the `sessions` of `pages()`',
              ]
            : []),
        ],
      };
    },
  };
}
