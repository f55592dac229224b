import { join } from 'node:path';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Metadata } from '@grpc/grpc-js';
import {
  type ClientGrpc,
  type ClientOptions,
  ClientProxyFactory,
  GrpcMethod,
  MessagePattern,
  type MicroserviceOptions,
  NatsRecordBuilder,
  Transport,
} from '@nestjs/microservices';
import { headers as natsHeaders } from '@nats-io/transport-node';
import { OAuthGuard, Scopes, type OAuthRefusal, type Token } from 'nest-oauth2';
import { firstValueFrom, type Observable } from 'rxjs';
import { REDIS_URL } from '../../../support/environment/redis-url.js';
import { freePort } from '../../../support/environment/free-port.js';
import { startApplication } from '../../../support/servers/test-application.js';
import { GivenAll, oauth, reported, type Start } from '../driver.js';

@Controller()
@Scopes('notes:read')
class OpenNotesController {
  @MessagePattern('notes')
  @GivenAll
  notes(user: string, app: string, token: Token) {
    return reported(user, app, token);
  }

  @GrpcMethod('Notes', 'Find')
  @GivenAll
  find(user: string, app: string, token: Token) {
    return { said: reported(user, app, token) };
  }

  @Get('notes')
  @GivenAll
  http(user: string, app: string, token: Token) {
    return { said: reported(user, app, token) };
  }
}

@Controller()
@UseGuards(OAuthGuard)
class NotesController extends OpenNotesController {}

const sayRefusal = ({ status, statusCode, error }: OAuthRefusal) => `${status} ${statusCode} \`${error}\``;

/** Starts an application with a microservice. A hybrid application has a global guard. */
async function start(store: Parameters<Start>[0], service: MicroserviceOptions, hybrid: boolean) {
  const guard = { provide: APP_GUARD, useClass: OAuthGuard };
  const module = hybrid
    ? { imports: [oauth(store)], controllers: [OpenNotesController], providers: [guard] }
    : { imports: [oauth(store)], controllers: [NotesController] };
  return startApplication('express', module, {
    async prepare(app) {
      app.connectMicroservice(service, { inheritAppConfig: hybrid });
      await app.startAllMicroservices();
    },
  });
}

interface Messages {
  service: MicroserviceOptions;
  message?(token: string | undefined): unknown;
  hybrid?: boolean;
}

const messages =
  (make: () => Messages | Promise<Messages>): Start =>
  async (store) => {
    const { service, message, hybrid = false } = await make();
    const { app } = await start(store, service, hybrid);
    const client = ClientProxyFactory.create(service as ClientOptions);
    const written = message ?? ((token) => (token ? { authorization: `Bearer ${token}` } : {}));
    return {
      ask: (token) =>
        firstValueFrom(client.send<string>('notes', written(token) as object)).catch((error: unknown) =>
          sayRefusal(error as OAuthRefusal),
        ),
      stop: async () => {
        await client.close();
        await app.close();
      },
    };
  };

const tcpService = async () => ({
  transport: Transport.TCP as const,
  options: { host: '127.0.0.1', port: await freePort() },
});

export const tcp = messages(async () => ({ service: await tcpService() }));
export const hybridTcp = messages(async () => ({ service: await tcpService(), hybrid: true }));

export const redis = messages(() => {
  const { hostname, port } = new URL(REDIS_URL);
  return { service: { transport: Transport.REDIS, options: { host: hostname, port: Number(port || 6379) } } };
});

export const nats = (port: number) =>
  messages(() => ({
    service: { transport: Transport.NATS, options: { servers: [`nats://127.0.0.1:${port}`] } },
    message(token) {
      const record = new NatsRecordBuilder({});
      if (!token) return record.build();
      const set = natsHeaders();
      set.set('authorization', `Bearer ${token}`);
      return record.setHeaders(set).build();
    },
  }));

interface NotesService {
  find(requested: object, metadata: Metadata): Observable<{ said: string }>;
}

interface GrpcFailure {
  code: number;
  details: string;
  metadata: Metadata;
}

export const grpc: Start = async (store) => {
  const options = {
    package: 'notes',
    protoPath: join(import.meta.dirname, '../notes.proto'),
    url: `127.0.0.1:${await freePort()}`,
  };
  const service = { transport: Transport.GRPC as const, options };
  const { app } = await start(store, service, false);
  const client = ClientProxyFactory.create(service) as ClientGrpc & { close(): void };
  const notes = client.getService<NotesService>('Notes');
  return {
    async ask(token) {
      const metadata = new Metadata();
      if (token) metadata.set('authorization', `Bearer ${token}`);
      try {
        return (await firstValueFrom(notes.find({}, metadata))).said;
      } catch (error) {
        const { code, details, metadata: sent } = error as GrpcFailure;
        const challenged = sent.get('www-authenticate').length > 0 ? ', challenge' : '';
        return `status ${code} \`${details.split(':')[0]}\`${challenged}`;
      }
    },
    stop: async () => {
      client.close();
      await app.close();
    },
  };
};
