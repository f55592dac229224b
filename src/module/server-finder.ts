import type { InjectionToken } from '@nestjs/common';
import { ContextIdFactory, type ModuleRef } from '@nestjs/core';
import type { OAuth2Server } from '../../lib/index.js';
import type { NativeRequest } from '../http/http-adapter.js';

/** Finds a server in its module; where its model is made for each request, the one of this request. */
export function findServer(
  moduleRef: ModuleRef,
  token: InjectionToken,
  native: NativeRequest,
): OAuth2Server | Promise<OAuth2Server> {
  let server: OAuth2Server | undefined;
  try {
    server = moduleRef.get<OAuth2Server>(token as string);
  } catch {
    // Nest gives out nothing by `get()` that is made for each request.
  }
  if (server) return server;
  const context = ContextIdFactory.getByRequest(native);
  moduleRef.registerRequestByContextId(native, context);
  return moduleRef.resolve<OAuth2Server>(token as string, context);
}
