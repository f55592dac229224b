import type { IncomingMessage, ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';

/** A request and its response, as a wrapper around all handlers of an Express application sees them. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The body of the response. */
  body: string;
  /** The body of the request, once it was read. */
  form: URLSearchParams;
  path: string;
}

/** Wraps all handlers of an Express application. The function may change each response and returns its body. */
export function wrapHandlers(app: INestApplication, change: (exchange: Exchange) => string | void): void {
  app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
    let sent = '';
    request.on('data', (chunk: Buffer) => (sent += chunk.toString()));
    const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
    response.end = ((chunk?: unknown) => {
      const body = typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : '';
      const path = (request.url ?? '').split('?')[0]!;
      const changed = change({ request, response, body, form: new URLSearchParams(sent), path });
      if (changed === undefined) return end(chunk);
      response.setHeader('content-length', Buffer.byteLength(changed));
      return end(changed);
    }) as typeof response.end;
    next();
  });
}

/**
 * Emulates a server that misses a check: a request that this application refuses gets the last successful response of
 * the same endpoint.
 * @param isMissed whether the emulated server misses the check for this request
 */
export function acceptRefused(path: string, isMissed: (exchange: Exchange) => boolean = () => true) {
  return (app: INestApplication): void => {
    let last: string | undefined;
    wrapHandlers(app, (exchange) => {
      const { response, body } = exchange;
      if (exchange.path !== path) return undefined;
      if (response.statusCode < 300) {
        last = body;
        return undefined;
      }
      if (response.statusCode < 400 || last === undefined || !isMissed(exchange)) return undefined;
      response.statusCode = 200;
      response.removeHeader('www-authenticate');
      return last;
    });
  };
}

/** Whether a request has an `Authorization` header. */
export const hasToken = ({ request }: Exchange): boolean => request.headers.authorization !== undefined;

/** Emulates a server that fetches the URLs of metadata before it responds. */
export function fetchRegisteredUrls(app: INestApplication): void {
  app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
    let sent = '';
    request.on('data', (chunk: Buffer) => (sent += chunk.toString()));
    const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
    response.end = ((chunk?: unknown) => {
      const url = /"jwks_uri":"([^"]*)"/.exec(sent)?.[1];
      if (url === undefined) return end(chunk);
      void fetch(url).finally(() => end(chunk));
      return response;
    }) as typeof response.end;
    next();
  });
}

/** Emulates a server that sends the browser with a code to the redirect URI of the request, whatever it is. */
export function redirectAnywhere(isMissed: (redirectUri: string) => boolean) {
  return (app: INestApplication): void => {
    wrapHandlers(app, ({ request, response, path }) => {
      const query = new URL(request.url ?? '', 'http://localhost').searchParams;
      const redirectUri = query.getAll('redirect_uri').at(-1);
      if (path !== '/oauth/authorize' || redirectUri === undefined || response.statusCode < 400) return undefined;
      if (!isMissed(redirectUri)) return undefined;
      response.statusCode = 302;
      response.setHeader('location', encodeURI(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}code=1`));
      return '';
    });
  };
}
