import type { INestApplication } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import type { OpenAPIObject, SwaggerDocumentOptions } from '@nestjs/swagger';
import { type AccessRequirements, isGuardedBy, readAccessRequirements } from '../guards/access-requirements.js';
import { isOAuthGuard } from '../guards/oauth.guard.js';
import { CLIENT_SCHEME, describeEndpoints } from './endpoints.js';
import { type OperationObject, operationsOf } from './operations.js';
import { addRefusals, addRefusalSchema } from './refusals.js';
import { findRoutes } from './routes.js';
import { addSchemes, type Flow, type Scheme, schemeOf, type ServerUrls, verifyFlows } from './scheme.js';
import { requireNoToken, requireToken, tokenSchemes, requiredScopes } from './security.js';
import { findServers } from './servers.js';

/** What `addOAuth2()` takes, beside what `SwaggerModule.createDocument()` was given (`include`, `ignoreGlobalPrefix`, …). */
export interface OAuth2DocumentOptions extends SwaggerDocumentOptions {
  /** As the document calls the scheme; that of a server with a name has it behind: `oauth2-partners`. Default: `'oauth2'` */
  scheme?: string;
  /**
   * The ways to a token that are told of. Default: `authorizationCode` and `clientCredentials`, as far as the server has
   * them. `password` and `implicit` are told of where they are named. RFC 9700 §2.1.2, §2.4
   */
  flows?: readonly Flow[];
  /** Where the endpoints of the server are, for an API that lives apart from it. Default: where the application has them */
  urls?: ServerUrls;
  /** Describes the endpoints of the servers too. Default: false, they are left out */
  endpoints?: boolean;
}

/**
 * Says in an OpenAPI document what `OAuthGuard` demands at each operation, by which tokens, how those are got, and how it
 * turns requests away. What the document said of access tokens before is replaced; other schemes of the host stay.
 * @returns the document, which is changed
 * @throws InvalidArgumentError in an application without `OAuth2Module`, and for flows that its server has not
 */
export function addOAuth2(
  app: INestApplication,
  document: OpenAPIObject,
  { scheme = 'oauth2', flows, urls, endpoints = false, ...options }: OAuth2DocumentOptions = {},
): OpenAPIObject {
  const servers = findServers(app);
  verifyFlows([...servers.values()], { flows, urls });
  const keyOf = (name: string | undefined) => (name === undefined ? scheme : `${scheme}-${name}`);
  const tokens = new Set([...tokenSchemes(document), ...[...servers.keys()].map(keyOf)]);
  const findDemand = requirementsFinder(app, document, options);
  const guarded: Guarded[] = [];
  for (const { id, object: operation } of operationsOf(document)) {
    const demand = findDemand(id);
    const server = servers.get(demand?.server);
    if (demand?.isPublic) requireNoToken({ operation, document, tokenSchemes: tokens });
    else if (demand && server)
      guarded.push({ operation, requirements: demand, scopes: requiredScopes(demand, server.scope) });
  }
  const schemes: Record<string, Scheme> = {};
  const without = options.ignoreGlobalPrefix ? prefixOf(app) : '';
  for (const [name, server] of servers) {
    const asked = guarded
      .filter(({ requirements: demand }) => demand.server === name)
      .flatMap(({ scopes: wanted }) => wanted.flat());
    schemes[keyOf(name)] = schemeOf(server, {
      flows,
      urls: name === undefined ? urls : undefined,
      requiredScopes: asked,
    });
    if (endpoints) {
      const naming = {
        tag: `OAuth 2.0${name ? ` (${name})` : ''}`,
        key: keyOf(name),
        clients: `${keyOf(name)}-client`,
        without,
      };
      describeEndpoints(document, server, naming);
      schemes[naming.clients] = CLIENT_SCHEME;
    }
  }
  for (const { operation, requirements: demand, scopes: wanted } of guarded) {
    const key = keyOf(demand.server);
    // Before 3.1 only OAuth has scopes. OpenAPI 3.0 §4.7.30
    const isTold = schemes[key]!.type === 'oauth2' || !document.openapi.startsWith('3.0');
    const asked = wanted.map((all) => ({ [key]: isTold ? [...all] : [] }));
    requireToken({ operation, document, tokenSchemes: tokens }, [...asked, ...(demand.optional ? [{}] : [])]);
    addRefusals(operation, wanted, demand);
  }
  addRefusalSchema(document);
  addSchemes(document, schemes);
  return document;
}

/** An operation that demands something of a request. */
interface Guarded {
  readonly operation: OperationObject;
  readonly requirements: AccessRequirements;
  readonly scopes: readonly (readonly string[])[];
}

/** Finds what the guard demands at an operation; undefined where it does not stand. */
function requirementsFinder(app: INestApplication, document: OpenAPIObject, options: SwaggerDocumentOptions) {
  const findRoute = findRoutes(app, document, options);
  const isEverywhere = isGuardedGlobally(app.get(ApplicationConfig));
  return (operation: string): AccessRequirements | undefined => {
    const route = findRoute(operation);
    if (!route) return undefined;
    const { handler, controller } = route;
    const demand = readAccessRequirements(handler, controller, isOAuthGuard);
    return demand.isPublic || isEverywhere || isGuardedBy(isOAuthGuard, handler, controller) ? demand : undefined;
  };
}

const prefixOf = (app: INestApplication) => {
  const bare = app
    .get(ApplicationConfig)
    .getGlobalPrefix()
    .replaceAll(/^\/+|\/+$/g, '');
  return bare && `/${bare}`;
};

/** Does the guard stand before the whole application: `APP_GUARD`, or `useGlobalGuards()`? */
function isGuardedGlobally(config: ApplicationConfig): boolean {
  return (
    config.getGlobalGuards().some(isOAuthGuard) ||
    config.getGlobalRequestGuards().some(({ metatype }) => isOAuthGuard(metatype))
  );
}
