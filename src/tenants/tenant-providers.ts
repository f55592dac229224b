import type { Provider } from '@nestjs/common';

import { assertConfig, effectiveOptions } from '../../lib/internal.js';
import { type EventSink, type Model, OAuth2Server } from '../../lib/index.js';
import { checkInteraction } from '../configuration/check-interaction.js';
import { assertOptions } from '../configuration/check-options.js';
import { makeServer } from '../configuration/make-server.js';
import { engineOptions } from '../configuration/option-table.js';
import { EventListeners } from '../operations/event-listeners.js';
import { EventLog } from '../operations/event-log.js';
import { FeatureInstances } from '../module/feature-instances.js';
import { optionProvider } from '../module/option-provider.js';
import { makeInteraction } from '../interaction/interactive-feature.js';
import { InteractionFlow } from '../interaction/interaction-flow.js';
import type { OAuth2Interaction } from '../interfaces/oauth2-interaction.interface.js';
import type { OAuth2Options, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import type { OAuth2Tenants, TenantOptions } from '../interfaces/oauth2-tenants.interface.js';
import { moduleFeature, secretOptions } from '../module/module-feature.js';
import { requestContext, trackTenants } from '../module/oauth2-context.js';
import {
  getOAuth2TenantServersToken,
  type MountedRoutes,
  OAUTH2_ROUTES,
  OAUTH2_TENANTS,
  type PartTokens,
} from '../oauth2.tokens.js';
import { assertResources, routesOfTenant } from './tenant-routes.js';
import { OAuth2TenantServers, type TenantParts } from './tenant-servers.js';
import { tenantRouter } from './tenant-router.js';
import { tenantServersOf } from './tenant-servers-of.js';

/** The options, the model and other parts that all tenants of an import share. */
interface SharedParts {
  readonly registration: OAuth2Registration;
  readonly method: 'forRoot' | 'forRootAsync';
  readonly options: OAuth2Options;
  readonly model: Model | undefined;
  readonly interaction: OAuth2Interaction | null | undefined;
  readonly routes: MountedRoutes;
  readonly events: EventSink;
  readonly instances: FeatureInstances;
}

/** Returns the providers of an import with tenants. Its server passes each operation to the server of a tenant. */
export function tenantProviders(
  registration: OAuth2Registration,
  method: SharedParts['method'],
  parts: PartTokens,
): Provider[] {
  const { name, tenantCache } = registration;
  const server: Provider = {
    provide: parts.server,
    inject: [
      parts.options,
      parts.model,
      parts.interaction,
      OAUTH2_TENANTS,
      OAUTH2_ROUTES,
      EventListeners,
      FeatureInstances,
    ],
    useFactory(
      options: OAuth2Options,
      model: Model | undefined,
      interaction: SharedParts['interaction'],
      tenants: OAuth2Tenants,
      routes: SharedParts['routes'],
      listeners: EventListeners,
      instances: FeatureInstances,
    ): OAuth2Server {
      assertOptions(options, { registration, method });
      const events = new EventLog(options.events, listeners, name);
      const shared: SharedParts = {
        registration,
        method,
        options,
        model,
        interaction,
        routes,
        events,
        instances,
      };
      checkTenants(tenants);
      checkShared(shared);
      trackTenants();
      const make = (tenant: string, own: TenantOptions) => makeParts(tenant, own, shared);
      const servers = new OAuth2TenantServers(tenants, make, tenantCache);
      const { cors } = effectiveOptions(registration.features, options);
      const common = { ...engineOptions(options), cors, model: model ?? (NO_MODEL as Model) };
      const made = new OAuth2Server(
        { ...common, features: [moduleFeature({ name, instances, tenants: servers })] },
        events,
      );
      made.surround(tenantRouter(servers));
      return made;
    },
  };
  return [
    optionProvider('tenants', OAUTH2_TENANTS, registration.tenants!),
    server,
    { provide: InteractionFlow, useFactory: () => undefined },
    {
      provide: getOAuth2TenantServersToken(name),
      inject: [parts.server],
      useFactory: tenantServersOf,
    },
  ];
}

/** The model of the import if each tenant has its own model. It finds no token. */
const NO_MODEL = { getAccessToken: () => undefined } as Partial<Model>;

function checkTenants(tenants: OAuth2Tenants): void {
  for (const method of ['findTenant', 'createTenantOptions'] as const) {
    const isMethod = typeof tenants?.[method] === 'function';
    assertConfig(isMethod, `the option \`tenants\` requires a method \`${method}()\`: implement it`);
  }
}

/** Returns the options of one tenant without `undefined` members, which would otherwise override the shared options. */
const withoutUndefined = <T extends object>(own: T): Partial<T> =>
  Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Validates the options that all tenants share at start-up, as if a tenant set only an issuer. */
function checkShared(shared: SharedParts): void {
  const { model, options } = shared;
  const { issuer } = options;
  assertConfig(issuer === undefined, 'remove `issuer`: with `tenants`, each tenant has its own');
  if (!model) return;
  const keepsIssuers = !('saveToken' in model) || 'revokeGrant' in model;
  const remedy = 'implement it, or give each tenant its own model in `createTenantOptions()`';
  assertConfig(keepsIssuers, `the model has no method \`revokeGrant()\`, without which it stores no issuer: ${remedy}`);
  const { name, features, controllers = true } = shared.registration;
  const { events, instances } = shared;
  const withIssuer = { ...options, issuer: 'https://tenant.invalid' };
  // The secret of a tenant is not known before a request.
  const { secret = 'a placeholder, with which nothing is signed' } = options;
  const registration = { name, instances, ...secretOptions(options), secret, isTemplate: true };
  void makeServer(model, { options: withIssuer, features, controllers, events, registration });
}

function makeParts(tenant: string, own: TenantOptions, shared: SharedParts): TenantParts {
  const { registration, routes, events, instances } = shared;
  const { controllers = true, features, name } = registration;
  assertOptions(own, { registration: {}, method: 'forRootAsync' });
  assertConfig(own.issuer !== undefined, `the options of the tenant \`${tenant}\` require an \`issuer\``);
  for (const option of ['cors', 'events'] as const) {
    assertConfig(
      own[option] === undefined,
      `remove \`${option}\` from the options of the tenant \`${tenant}\`: it is the same for all tenants`,
    );
  }
  const options = { ...shared.options, ...withoutUndefined(own) };
  const model = own.model ?? shared.model;
  const server = makeServer(model, {
    options,
    features,
    controllers,
    events,
    registration: {
      name,
      instances,
      tenant,
      ...secretOptions(options),
      sharesModel: !own.model,
      // Tenants with the same model share what it encrypts.
      ...(!own.model && { modelSecret: shared.options.secret }),
    },
  });
  const usedInteraction = own.interaction ?? shared.interaction ?? makeInteraction(server.context);
  const canSignIn = usedInteraction ?? options.authenticateHandler ?? !controllers;
  const endpoints = routesOfTenant(routes.endpoints, own.issuer);
  const resources = routesOfTenant(routes.resources, own.issuer);
  server.mount({ ...endpoints, ...(!canSignIn && { authorize: false }) }, resources);
  assertResources(server.context, own.issuer);
  server.surround(requestContext);
  return {
    server,
    interaction:
      usedInteraction &&
      new InteractionFlow(
        server,
        usedInteraction,
        checkInteraction(usedInteraction, options, { model: server.options.model, server: server.context }),
      ),
  };
}
