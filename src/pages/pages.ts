import { findMissingMethods, OPENID, type Feature, injects } from '../../lib/internal.js';
import type { OAuth2Server, ServerContext, User } from '../../lib/index.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import { SESSION_ACCESS } from '../guards/session-access.js';
import { INTERACTION } from '../interaction/interactive-feature.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { accountPage } from './account/account-page.js';
import { applicationsPage } from './account/applications-page.js';
import { applicationsSection } from './account/applications-section.js';
import { ACCOUNT_SECTIONS, findSectionErrors } from './account/section.js';
import { sessionsSection } from './account/sessions-section.js';
import { devicePage } from './device-page.js';
import { loginPage } from './login/password-login.js';
import { LOGIN_METHODS, PASSWORDS } from './login/methods.js';
import { findStepErrors, loginStepsOf, SECOND_FACTOR_LOGIN } from './login/steps.js';
import { logoutPage } from './sessions/logout-page.js';
import { secondFactorPage } from './second-factor/page.js';
import { secondFactorStep } from './second-factor/step.js';
import { AcceptedSessions } from './sessions/accepted-sessions.js';
import { THROTTLE } from './login/attempts.js';
import { ORGANIZATION, organizationHooks } from './organizations/hooks.js';
import { ORGANIZATIONS } from './organizations/organizations.js';
import { findSecondFactorErrors, SECOND_FACTOR } from './second-factor/options.js';
import { PagesInteraction } from './pages-interaction.js';
import { type PagesOptions, resolvePagesOptions } from './pages-options.js';
import { Site, SITE } from './site.js';
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
  const signIn = resolved.login === undefined && { login: loginPage, logout: logoutPage };
  const { secondFactor, throttle, organizations } = resolved;
  const codes = secondFactor && { second_factor: secondFactorPage };
  const lists = resolved.applications && { applications: applicationsPage };
  const account = resolved.account && { account: accountPage };
  const devices = resolved.devices && { device: devicePage };
  return {
    id: 'pages',
    requires: [
      ...(resolved.sessions ? [] : ['saveSession', 'getSession', 'revokeSession']),
      ...(resolved.rememberLifetime === undefined ? [] : ['findRememberedSession', 'continueSession']),
      ...(lists ? ['listApplications', 'revokeGrantsOf'] : []),
      ...(resolved.signOutEndsGrants && !lists ? ['revokeGrantsOf'] : []),
    ],
    endpoints: { ...signIn, ...codes, ...lists, ...account, ...devices },
    async findUser(native, server) {
      const request = toOAuthRequest(native as NativeRequest);
      const { context } = (await tenantServersOf(server)?.find(request)) ?? server;
      return (await context.find(SITE)!.findUser(request)) || undefined;
    },
    settings: {
      login: resolved.login,
      signUp: resolved.signUp,
      forgotPassword: resolved.forgotPassword,
      sessionLifetime: resolved.sessionLifetime,
      rememberLifetime: resolved.rememberLifetime,
      signOutEndsGrants: resolved.signOutEndsGrants,
      sessions: resolved.sessions !== undefined,
      secondFactor: secondFactor !== undefined,
      throttle: resolved.throttle !== undefined,
      acceptsSessions: resolved.acceptSessions.isDefault,
      fetch: options.clientLogos,
    },
    provides: [INTERACTION, SESSION_ACCESS],
    injects: [
      ...(secondFactor?.by !== undefined
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
      ...(organizations === undefined
        ? []
        : [
            injects(ORGANIZATIONS, 'organizations', organizations, {
              methods: ['list'],
              optionalMethods: ['isMember'],
            }),
          ]),
    ],
    ...(organizations !== undefined && { parameters: ORGANIZATION_PARAMETER }),
    install(builder) {
      const site = builder.use(SITE);
      builder.provide(SITE, () => new Site(builder.server, resolved));
      builder.provide(INTERACTION, () => ({
        make: () => new PagesInteraction(site()),
        sessions: () => new SiteSessions(site()),
      }));
      builder.provide(SESSION_ACCESS, () => new AcceptedSessions(site()));
      builder.provide(SECOND_FACTOR_LOGIN, () => secondFactorStep(site()));
      if (account) builder.contribute(ACCOUNT_SECTIONS, sessionsSection);
      if (account && lists) builder.contribute(ACCOUNT_SECTIONS, applicationsSection);
      return {
        ...(organizations !== undefined && organizationHooks(builder.use(ORGANIZATIONS))),
        misconfigurations: (server) => [
          ...(signIn ? findPasswordErrors(server, resolved.password) : []),
          ...findSectionErrors(server.all(ACCOUNT_SECTIONS)),
          ...findStepErrors(loginStepsOf(server), server.endpoints),
          ...(resolved.sessions && loginStepsOf(server).length > 0
            ? ['login steps require login sessions that the model stores: remove `sessions` of `pages()`']
            : []),
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

const ORGANIZATION_PARAMETER = {
  authorize: { [ORGANIZATION]: 'The ID of the organization that the tokens are for. If omitted, the user chooses.' },
};

const NO_PASSWORDS =
  'the login page of `pages()` cannot verify passwords: add `findByCredentials()`, or `findByUsername()` and ' +
  '`verifyPassword()`, to `users` of the store, or set `password: false`';

/** Returns the configuration error if nothing verifies the passwords of the login page, or if it has no method at all. */
function findPasswordErrors(server: ServerContext, isEnabled: boolean): readonly string[] {
  if (!isEnabled) {
    return server.all(LOGIN_METHODS).length > 0
      ? []
      : ['`password: false` of `pages()` requires a feature with another method of login, such as `upstreams()`'];
  }
  if (server.find(PASSWORDS)) return [];
  if ((server.options.model as { verifiesPasswords?: boolean }).verifiesPasswords === false) return [NO_PASSWORDS];
  const needed = { neededBy: '`pages()`', methods: ['getUser'], alternative: 'set `password: false`' };
  return [findMissingMethods(server.options.model, [needed]) ?? []].flat();
}
