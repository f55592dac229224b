import type { HttpServer } from '@nestjs/common';
import { runEndpoint } from './run-endpoint.js';
import type { EndpointSettings } from './cross-origin.js';

import { decodedPath, isDocument } from '../../lib/internal.js';
import type { OAuth2Server } from '../../lib/index.js';
import type { Endpoint } from './endpoint.js';
import { type NativeRequest, toOAuthRequest } from './http-adapter.js';
import type { NativeReply } from './native-reply.js';

/** The well-known documents of a server, their routes, and the function that finds the server of a request. */
export interface Documents {
  readonly endpoints: readonly Endpoint[];
  /** Returns the routes of a document. */
  readonly routesOf: (endpoint: Endpoint) => readonly string[];
  /** Whether the routes may have path parameters, because the issuers of tenants are not known in advance. */
  readonly hasPathParameters: boolean;
  readonly settings: EndpointSettings;
  findServer(native: NativeRequest): OAuth2Server | Promise<OAuth2Server>;
}

/**
 * Registers the routes of the well-known documents on Express or Fastify. The application's prefix, versions and guards
 * do not apply to them; middleware added with `use()` does. RFC 8615 §3
 */
export function serveDocuments(adapter: HttpServer, documents: Documents): void {
  const { endpoints, routesOf, hasPathParameters, settings } = documents;
  const literal = LITERAL[adapter.getType?.() as 'express'] ?? String;
  for (const endpoint of endpoints.filter(isDocument)) {
    const serve = (native: NativeRequest, reply: NativeReply) =>
      runEndpoint({ native, reply, endpoint, settings }, async (response) => {
        const server = await documents.findServer(native);
        return server.handle(endpoint.name, toOAuthRequest(native), response);
      });
    const write = (segment: string) => (hasPathParameters && segment.startsWith(':') ? segment : literal(segment));
    for (const route of routesOf(endpoint)) adapter.all(route.split('/').map(write).join('/'), serve);
  }
}

/** Escapes a path so that the platform treats it literally, without parameters. */
const LITERAL = {
  express: (path: string) => path.replaceAll(/[!()*+:?[\\\]{}]/g, String.raw`\$&`),
  // Fastify compares routes with the decoded path.
  fastify: (path: string) => decodedPath(path).replaceAll(':', '::'),
};
