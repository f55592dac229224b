import type { INestApplication } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { endpointUrl } from '../../lib/http/public-url.js';
import { OAuth2Server, type ServerFacts } from '../../lib/index.js';
import { engineOptions } from '../configuration/option-table.js';
import { settleEndpoints } from '../configuration/paths.js';
import { verify } from '../configuration/verify.js';
import { asksUsers } from '../interaction/asks-users.js';
import type { OAuth2Options, OAuth2Registration } from '../interfaces/oauth2-module-options.interface.js';
import { mountedPaths } from '../mounted-paths.js';
import { OAuth2Module } from '../oauth2.module.js';
import { OAUTH2_MODEL, OAUTH2_OPTIONS, OAUTH2_REGISTRATION } from '../oauth2.tokens.js';

/** A server of an application, as its description tells of it. */
export interface DescribedServer {
  readonly facts: ServerFacts;
  /** Where an endpoint is: under its issuer, or without one under wherever the application is; undefined: nowhere. */
  urlOf(this: void, endpoint: string): string | undefined;
}

type NestModule = ModulesContainer extends ReadonlyMap<string, infer Module> ? Module : never;

/** The server that a guard asks. @throws InvalidArgumentError in an application without one */
export function findServer(app: INestApplication): DescribedServer {
  const modules = app.get(ModulesContainer);
  const module = [...modules.values()].find(({ metatype }) => metatype === OAuth2Module);
  verify(
    module !== undefined,
    'addOAuth2() finds no OAuth2Module in the application: import it before, in no lazily loaded module',
  );
  const registration = (given(module, OAUTH2_REGISTRATION) ?? {}) as OAuth2Registration;
  const options = given(module, OAUTH2_OPTIONS) as OAuth2Options | undefined;
  const application = { config: app.get(ApplicationConfig), modules };
  // As they are mounted when the application starts, which it has not yet.
  const paths = mountedPaths(settleEndpoints(registration), OAuth2Module, application);
  const facts = factsOf(module, registration, options);
  const asks = asksUsers(registration, options);
  return {
    facts,
    urlOf(endpoint) {
      const path = paths[endpoint];
      if (path === undefined || (endpoint === 'authorize' && !asks)) return undefined;
      return options?.issuer === undefined ? path : endpointUrl(options.issuer, path);
    },
  };
}

/** What a provider of a module has made; undefined of one that is made for each request. */
function given({ providers }: NestModule, token: symbol | typeof OAuth2Server): unknown {
  const provider = providers.get(token);
  return provider?.isDependencyTreeStatic() ? provider.instance : undefined;
}

/** Where the model is made for each request the server is too: what it can do is seen by the class of the model. */
function factsOf(
  module: NestModule,
  { features }: OAuth2Registration,
  options: OAuth2Options | undefined,
): ServerFacts {
  const server = given(module, OAuth2Server) as OAuth2Server | undefined;
  if (server) return server.facts;
  const model = (module.providers.get(OAUTH2_MODEL)?.metatype?.prototype ?? {}) as OAuth2Server['options']['model'];
  return new OAuth2Server({ ...engineOptions(options ?? {}), features: features ?? [], model }).facts;
}
