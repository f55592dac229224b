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

/**
 * The options of `addOAuth2()`, in addition to those that `SwaggerModule.createDocument()` received (`include`,
 * `ignoreGlobalPrefix`, …).
 */
export interface OAuth2DocumentOptions extends SwaggerDocumentOptions {
  /**
   * The name of the security scheme in the document. A named server has its name appended: `oauth2-partners`. Default:
   * `'oauth2'`.
   */
  scheme?: string;
  /**
   * The OAuth flows to document. Default: `authorizationCode` and `clientCredentials`, if the server supports them.
   * `password` and `implicit` must be listed explicitly. RFC 9700 §2.1.2, §2.4
   */
  flows?: readonly Flow[];
  /**
   * The URLs of the authorization server, for an API that runs separately. Default: the endpoints of the application.
   */
  urls?: ServerUrls;
  /** Whether the document also describes the OAuth endpoints of the servers. Default: `false`. */
  endpoints?: boolean;
}

/**
 * Adds to an OpenAPI document the access token and scopes that `OAuthGuard` requires for each operation, the flows to
 * get a token, and the error responses. Existing security requirements for access tokens are replaced; other security
 * schemes stay.
 * @returns the same document, modified
 * @throws {InvalidArgumentError} If the application has no `OAuth2Module`, or `flows` contains a flow that the server
 * does not support.
 */
export function addOAuth2(
  app: INestApplication,
  document: OpenAPIObject,
  { scheme = 'oauth2', flows, urls, endpoints = false, ...options }: OAuth2DocumentOptions = {},
): OpenAPIObject {
  const servers = findServers(app);
  verifyFlows([...servers.values()], { flows, urls });
  const keyOf = (name: string | undefined) => (name === undefined ? scheme : `${scheme}-${name}`);
  const tokenSchemeNames = new Set([...tokenSchemes(document), ...[...servers.keys()].map(keyOf)]);
  const findRequirements = requirementsFinder(app, document, options);
  const guarded: Guarded[] = [];
  for (const { id, object: operation } of operationsOf(document)) {
    const requirements = findRequirements(id);
    const server = servers.get(requirements?.server);
    if (requirements?.isPublic) requireNoToken({ operation, document, tokenSchemes: tokenSchemeNames });
    else if (requirements && server)
      guarded.push({ operation, requirements, scopes: requiredScopes(requirements, server.scope) });
  }
  const schemes: Record<string, Scheme> = {};
  const removedPrefix = options.ignoreGlobalPrefix ? prefixOf(app) : '';
  for (const [name, server] of servers) {
    const allScopes = guarded
      .filter(({ requirements }) => requirements.server === name)
      .flatMap(({ scopes }) => scopes.flat());
    schemes[keyOf(name)] = schemeOf(server, {
      flows,
      urls: name === undefined ? urls : undefined,
      requiredScopes: allScopes,
    });
    if (endpoints) {
      const naming = {
        tag: `OAuth 2.0${name ? ` (${name})` : ''}`,
        key: keyOf(name),
        clientScheme: `${keyOf(name)}-client`,
        removedPrefix,
      };
      describeEndpoints(document, server, naming);
      schemes[naming.clientScheme] = CLIENT_SCHEME;
    }
  }
  for (const { operation, requirements, scopes } of guarded) {
    const key = keyOf(requirements.server);
    // Before OpenAPI 3.1, only OAuth schemes may have scopes. OpenAPI 3.0 §4.7.30
    const mayHaveScopes = schemes[key]!.type === 'oauth2' || !document.openapi.startsWith('3.0');
    const alternatives = scopes.map((all) => ({ [key]: mayHaveScopes ? [...all] : [] }));
    requireToken({ operation, document, tokenSchemes: tokenSchemeNames }, [
      ...alternatives,
      ...(requirements.optional ? [{}] : []),
    ]);
    addRefusals(operation, scopes, requirements);
  }
  addRefusalSchema(document);
  addSchemes(document, schemes);
  return document;
}

/** An operation that `OAuthGuard` guards. */
interface Guarded {
  readonly operation: OperationObject;
  readonly requirements: AccessRequirements;
  readonly scopes: readonly (readonly string[])[];
}

/**
 * Returns a function that finds the access requirements of an operation. It returns `undefined` if `OAuthGuard` does
 * not guard the operation.
 */
function requirementsFinder(app: INestApplication, document: OpenAPIObject, options: SwaggerDocumentOptions) {
  const findRoute = findRoutes(app, document, options);
  const isEverywhere = isGuardedGlobally(app.get(ApplicationConfig));
  return (operation: string): AccessRequirements | undefined => {
    const route = findRoute(operation);
    if (!route) return undefined;
    const { handler, controller } = route;
    const requirements = readAccessRequirements(handler, controller, isOAuthGuard);
    return requirements.isPublic || isEverywhere || isGuardedBy(isOAuthGuard, handler, controller)
      ? requirements
      : undefined;
  };
}

const prefixOf = (app: INestApplication) => {
  const bare = app
    .get(ApplicationConfig)
    .getGlobalPrefix()
    .replaceAll(/^\/+|\/+$/g, '');
  return bare && `/${bare}`;
};

/** Whether `OAuthGuard` guards the whole application, through `APP_GUARD` or `useGlobalGuards()`. */
function isGuardedGlobally(config: ApplicationConfig): boolean {
  return (
    config.getGlobalGuards().some(isOAuthGuard) ||
    config.getGlobalRequestGuards().some(({ metatype }) => isOAuthGuard(metatype))
  );
}
