import 'reflect-metadata';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { type ClientGrpc, ClientProxyFactory } from '@nestjs/microservices';
import type { OAuthRefusal } from 'nest-oauth2';
import { firstValueFrom, type Observable } from 'rxjs';
import { revoke, tokenFor } from './tokens.js';
import { grpc, tcp } from './services.js';

interface NotesService {
  list(request: object, metadata: Metadata): Observable<{ notes: string[] }>;
}

const tcpClient = ClientProxyFactory.create(tcp);
const grpcClient = ClientProxyFactory.create(grpc) as unknown as ClientGrpc & { close(): void };
const notes = grpcClient.getService<NotesService>('Notes');

/** Calls the TCP service. TCP has no headers, so the data contains the token. Errors are `OAuthRefusal` objects. */
async function callTcp(token?: string): Promise<string> {
  try {
    const data = token ? { authorization: `Bearer ${token}` } : {};
    return (await firstValueFrom(tcpClient.send<string[]>('notes', data))).join();
  } catch (error) {
    const { statusCode, error: code, error_description: description } = error as OAuthRefusal;
    return `${statusCode} ${code} (${description})`;
  }
}

/** Calls the gRPC service with the token in the metadata. Errors have a status and a challenge in their metadata. */
async function callGrpc(token?: string): Promise<string> {
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

const print = (label: string, result: string) => console.log(label.padEnd(20), result);
for (const [name, call] of Object.entries({ TCP: callTcp, gRPC: callGrpc })) {
  print(`${name}, no token:`, await call());
  print(`${name}, notes:read:`, await call(reader));
  print(`${name}, notes:write:`, await call(writer));
}
await revoke(reader);
print('TCP, revoked:', await callTcp(reader));
tcpClient.close();
grpcClient.close();
