import type { InjectionToken } from '@nestjs/common';
import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import type { OAuth2Server } from '../../lib/index.js';
import type { NativeRequest } from '../http/http-adapter.js';

/** Finds a server in its module. If the model is request-scoped, the server is made for this request. */
export function findServer(
  moduleRef: ModuleRef,
  token: InjectionToken,
  native: NativeRequest,
): OAuth2Server | Promise<OAuth2Server> {
  let server: OAuth2Server | undefined;
  try {
    server = moduleRef.get<OAuth2Server>(token as string);
  } catch {
    // `get()` throws for request-scoped providers.
  }
  if (server) return server;
  const context = ContextIdFactory.getByRequest(native);
  moduleRef.registerRequestByContextId(native, context);
  return moduleRef.resolve<OAuth2Server>(token as string, context);
}
