import type { HttpServer } from '@nestjs/common';
import { runEndpoint } from './run-endpoint.js';
import type { EndpointSettings } from './cross-origin.js';
import { decodedPath, isDocument } from '../../lib/adapter/index.js';
import type { OAuth2Server } from '../../lib/index.js';
import type { Endpoint } from './endpoint.js';
import { type NativeRequest, toOAuthRequest } from './http-adapter.js';
import type { NativeReply } from './native-reply.js';

/** Whom the documents are asked of: in a host whose model is made for each request, its server is too. */
export interface Documents {
  readonly endpoints: readonly Endpoint[];
  /** Where each of them is. */
  readonly routesOf: (endpoint: Endpoint) => readonly string[];
  /** Are segments of those that each issuer has parameters? */
  readonly hasPathParameters: boolean;
  readonly settings: EndpointSettings;
  findServer(native: NativeRequest): OAuth2Server | Promise<OAuth2Server>;
}

/**
 * Serves the well-known documents by the platform itself: no prefix, version or guard of the host is before them, and
 * what it has put on the application by `use()` is. RFC 8615 §3
 */
export function serveDocuments(adapter: HttpServer, documents: Documents): void {
  const { endpoints, routesOf, hasPathParameters: parametric, settings: facts } = documents;
  const literal = LITERAL[adapter.getType?.() as 'express'] ?? String;
  for (const endpoint of endpoints.filter(isDocument)) {
    const serve = (native: NativeRequest, reply: NativeReply) =>
      runEndpoint({ native, reply, endpoint, facts }, async (response) => {
        const server = await documents.findServer(native);
        return server.handle(endpoint.name, toOAuthRequest(native), response);
      });
    const write = (segment: string) =>
      parametric && endpoint.perIssuer && segment.startsWith(':') ? segment : literal(segment);
    for (const route of routesOf(endpoint)) adapter.all(route.split('/').map(write).join('/'), serve);
  }
}

/** How a platform writes a path in which nothing is a parameter. */
const LITERAL = {
  express: (path: string) => path.replaceAll(/[!()*+:?[\\\]{}]/g, String.raw`\$&`),
  // Compared with what it has decoded.
  fastify: (path: string) => decodedPath(path).replaceAll(':', '::'),
};
