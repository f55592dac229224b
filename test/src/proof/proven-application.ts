import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { keys } from 'nest-oauth2/jose';
import type { ProofOptions } from 'nest-oauth2/testing';
import { EC } from '../../support/servers/openid-server.js';
import { DurableStore, SECRET, users } from '../report/reported-server.js';

/** The parts of the application that a test changes. */
export const changes: { grants: string[]; clients: { id: string; grants: string[] }[]; isFixed: boolean } = {
  grants: ['client_credentials'],
  clients: [],
  isFixed: true,
};

/** The stores of the tests, by the place that `--empty` names. */
export const opened: string[] = [];

/** A store in which a code can be used twice, unless `changes.isFixed`. */
class KeptCodes extends DurableStore {
  override async revokeAuthorizationCode(...args: Parameters<DurableStore['revokeAuthorizationCode']>) {
    return changes.isFixed ? super.revokeAuthorizationCode(...args) : true;
  }
}

function createApplication() {
  const model = new DurableStore({ users, clients: [{ id: 'jobs', grants: changes.grants, scopes: ['notes:read'] }] });
  class AppModule {}
  Module({
    imports: [
      OAuth2Module.forRoot({
        model,
        secret: SECRET,
        issuer: 'https://id.company.com',
        interaction: null,
        features: [keys({ from: [EC] })],
      }),
    ],
  })(AppModule);
  return NestFactory.create(AppModule, { logger: false });
}

export const proof: ProofOptions = {
  application: createApplication,
  lab: { signIn: false, scopes: ['notes:read'] },
  store: (place) => {
    opened.push(place);
    return new KeptCodes({ clients: changes.clients, users });
  },
};
