import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import { Request, Response } from 'nest-oauth2/server';

// The request and response objects of a framework are accepted without conversion.
export function wrap(request: ExpressRequest, response: ExpressResponse): [Request, Response] {
  return [new Request(request), new Response(response)];
}

// Request and response objects of Node.js are accepted too. Their missing query is detected at run time.
export function wrapPlain(request: IncomingMessage, response: ServerResponse): [Request, Response] {
  return [new Request(request), new Response(response)];
}
