import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import { OAuth2Server } from '../lib/index.js';
import type { NativeRequest } from './http-adapter.js';

/** Finds the server of a module; where its model is made for each request, the one of this request. */
export async function findServer(moduleRef: ModuleRef, native: NativeRequest): Promise<OAuth2Server> {
  let server: OAuth2Server | undefined;
  try {
    server = moduleRef.get(OAuth2Server);
  } catch {
    // Nest gives out nothing by `get()` that is made for each request.
  }
  if (server) return server;
  const context = ContextIdFactory.getByRequest(native);
  moduleRef.registerRequestByContextId(native, context);
  return await moduleRef.resolve(OAuth2Server, context);
}
