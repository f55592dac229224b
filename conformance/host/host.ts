import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { OAuth2Module, type OAuth2ModuleOptions } from 'nest-oauth2';
import { pages } from 'nest-oauth2/pages';
import type { StoredClient } from 'nest-oauth2/stores/memory';

import { ApprovalController } from './approval.controller.js';
import { reachSuite } from '../plans/reach-suite.js';
import { type Certificate, RSA, selfSigned } from './certificate.js';
import { ResourceController } from './resource.controller.js';
import { HostStore, PASSWORD } from './store.js';
import { tls } from './tls.js';

/** The settings of the server that differ from plan to plan. */
export interface HostSettings extends Pick<Partial<OAuth2ModuleOptions>, 'features'> {
  clients: readonly StoredClient[];
  /** The users. Default: `ALICE`. */
  users?: ConstructorParameters<typeof HostStore>[1];
  /** The certificates of clients. If omitted, the server requests no certificates. */
  certificates?: readonly string[];
  /** Options of the server that differ from the defaults. */
  options?: Partial<OAuth2ModuleOptions>;
}

/** The URL of the server, its platform and its certificate. */
export interface HostPlace {
  issuer: string;
  platform?: 'express' | 'fastify';
  /** The certificate for the issuer's host name. Default: a new self-signed one. */
  certificate?: Certificate;
}

/** Starts an application with the module, its pages, a store in memory and a protected resource. */
export async function startHost(settings: HostSettings, place: HostPlace): Promise<INestApplication> {
  const { clients, users, features = [], certificates, options = {} } = settings;
  const { issuer, platform = 'express', certificate } = place;
  const { hostname, port } = new URL(issuer);
  const store = new HostStore(clients, users);

  @Module({
    imports: [
      OAuth2Module.forRoot({
        model: store,
        issuer,
        secret: randomBytes(32).toString('base64url'),
        features: [
          pages({ site: 'Conformance', signIn: PASSWORD, clientLogos: reachSuite, throttle: { count: () => 0 } }),
          ...features,
        ],
        ...options,
      }),
    ],
    controllers: [ResourceController, ApprovalController],
    providers: [{ provide: HostStore, useValue: store }],
  })
  class HostModule {}

  const own = certificate ?? (await selfSigned(hostname, { hosts: [hostname], key: RSA }));
  const https = { ...own, ...tls, ...(certificates && showing(certificates)) };
  const adapter = platform === 'express' ? new ExpressAdapter() : new FastifyAdapter({ https });
  const application = await NestFactory.create(HostModule, adapter, {
    logger: ['error', 'warn'],
    abortOnError: false,
    forceCloseConnections: true,
    ...(platform === 'express' && { httpsOptions: https }),
  });
  await application.listen(Number(port || 443), '127.0.0.1');
  return application;
}

/** Requests client certificates without validating them: the server decides what a certificate proves. RFC 8705 §2 */
const showing = (certificates: readonly string[]) => ({
  requestCert: true,
  rejectUnauthorized: false,
  ca: [...certificates],
});
