import { fileURLToPath } from 'node:url';
import { type GrpcOptions, type TcpOptions, Transport } from '@nestjs/microservices';

/** The TCP address that the server and the client share. */
export const tcp = {
  transport: Transport.TCP,
  options: { host: '127.0.0.1', port: Number(process.env.TCP_PORT ?? 3001) },
} satisfies TcpOptions;

/** The gRPC address and schema that the server and the client share. */
export const grpc = {
  transport: Transport.GRPC,
  options: {
    package: 'notes',
    protoPath: fileURLToPath(new URL('../notes.proto', import.meta.url)),
    url: `127.0.0.1:${process.env.GRPC_PORT ?? 3002}`,
  },
} satisfies GrpcOptions;
