import 'reflect-metadata';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { type ClientGrpc, ClientProxyFactory } from '@nestjs/microservices';
import type { OAuthRefusal } from 'nest-oauth2';
import { firstValueFrom, type Observable } from 'rxjs';
import { revoke, tokenFor } from './client.js';
import { grpc, tcp } from './services.js';

interface NotesService {
  list(asked: object, metadata: Metadata): Observable<{ notes: string[] }>;
}

const overTcp = ClientProxyFactory.create(tcp);
const overGrpc = ClientProxyFactory.create(grpc) as unknown as ClientGrpc & { close(): void };
const notes = overGrpc.getService<NotesService>('Notes');

/** TCP knows no headers: the token is a member of the data. A refusal is an `OAuthRefusal`. */
async function askTcp(token?: string): Promise<string> {
  try {
    const data = token ? { authorization: `Bearer ${token}` } : {};
    return (await firstValueFrom(overTcp.send<string[]>('notes', data))).join();
  } catch (error) {
    const { statusCode, error: code, error_description: description } = error as OAuthRefusal;
    return `${statusCode} ${code} (${description})`;
  }
}

/** gRPC has metadata for it. A refusal is a status, with the challenge in its metadata. */
async function askGrpc(token?: string): Promise<string> {
  try {
    const metadata = new Metadata();
    if (token) metadata.set('authorization', `Bearer ${token}`);
    return (await firstValueFrom(notes.list({}, metadata))).notes.join();
  } catch (error) {
    const { code, metadata } = error as ServiceError;
    return `status ${code}, ${String(metadata.get('www-authenticate')[0])}`;
  }
}

const reader = await tokenFor('notes:read');
const writer = await tokenFor('notes:write');

const say = (what: string, answer: string) => console.log(what.padEnd(20), answer);
for (const [name, ask] of Object.entries({ TCP: askTcp, gRPC: askGrpc })) {
  say(`${name}, no token:`, await ask());
  say(`${name}, notes:read:`, await ask(reader));
  say(`${name}, notes:write:`, await ask(writer));
}
await revoke(reader);
say('TCP, revoked:', await askTcp(reader));
overTcp.close();
overGrpc.close();
