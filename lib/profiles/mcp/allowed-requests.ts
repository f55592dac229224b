import { AccessDeniedError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { originOf, requestedHost } from '../../http/origin.js';
import { isLoopbackName } from '../../http/public-url.js';
import type { Request } from '../../http/request.js';
import { isOrigin } from '../../options/cors.js';
import type { OptionRows } from '../../options/option-table.js';
import { accepts, isListOf } from '../../options/value-checks.js';

/** The options of `mcp()` that restrict which requests reach the MCP endpoint. */
export interface AllowedRequestOptions {
  /**
   * The accepted values of the header `Host`, as names without a port, in addition to the host of `resource`. `'*'`
   * accepts all. If the host of `resource` is a loopback address, all loopback addresses are accepted. Default: none.
   */
  hosts?: readonly string[] | '*';
  /**
   * The accepted values of the header `Origin`, in addition to the origin of `resource`. `'*'` accepts all. If the host
   * of `resource` is a loopback address, all loopback origins are accepted. Requests without `Origin` are always
   * accepted, because only browsers send it. Default: the option `cors.origins`, if it is a list.
   */
  origins?: readonly string[] | '*';
}

/**
 * The hosts and origins that requests to an MCP endpoint may have. The check prevents DNS rebinding: a page of an
 * attacker whose host name resolves to this server sends its own `Host` and `Origin`. MCP 2026-07-28, Transports
 */
export class AllowedRequests {
  private readonly hosts: ReadonlySet<string> | '*';
  private readonly origins: ReadonlySet<string> | '*';
  /** Whether the MCP endpoint has a loopback address, as in development. */
  private readonly isLocal: boolean;

  /** @param resource The URL of the MCP endpoint. */
  constructor(resource: string, { hosts = [], origins }: AllowedRequestOptions, { options: { cors } }: ServerContext) {
    const { hostname, origin } = new URL(resource);
    this.isLocal = isLoopbackName(hostname);
    this.hosts = hosts === '*' ? hosts : new Set([hostname, ...hosts.map((one) => one.toLowerCase())]);
    const callers = origins ?? (cors && cors.origins !== '*' && cors.resources ? cors.origins : []);
    this.origins = callers === '*' ? callers : new Set([origin, ...callers]);
  }

  /**
   * Verifies the headers `Host` and `Origin` of a request.
   * @throws {AccessDeniedError} With status 403, if one of them is not allowed.
   */
  verify(request: Request): void {
    const host = requestedHost(request);
    if (host !== undefined && this.hosts !== '*' && !this.hosts.has(host) && !this.isLocalName(host)) {
      throw refusal('host').because({
        reason: '`Host` is not allowed at the MCP endpoint',
        expected: [...this.hosts],
        given: shortText(host),
        remedy: 'send requests to the host of `resource`, or add this one to `hosts` of `mcp()`',
      });
    }
    const origin = originOf(request);
    if (origin === undefined || this.origins === '*' || this.origins.has(origin)) return;
    if (this.isLocal && isLoopbackOrigin(origin)) return;
    throw refusal('origin').because({
      reason: '`Origin` is not allowed at the MCP endpoint',
      expected: [...this.origins],
      given: shortText(origin),
      remedy: 'add the origin to `origins` of `mcp()`',
    });
  }

  private readonly isLocalName = (host: string) => this.isLocal && isLoopbackName(host);
}

const isLoopbackOrigin = (origin: string) => URL.canParse(origin) && isLoopbackName(new URL(origin).hostname);

const refusal = (header: 'host' | 'origin') =>
  new AccessDeniedError(`Access denied: the MCP endpoint accepts no requests with this ${header}`, { code: 403 });

const isHostName = (host: unknown) =>
  typeof host === 'string' &&
  URL.canParse(`http://${host}`) &&
  new URL(`http://${host}`).hostname === host.toLowerCase();

/** The options of `AllowedRequestOptions` in the table of `mcp()`. */
export const ALLOWED_REQUEST_ROWS = {
  hosts: {
    check: accepts<readonly string[] | '*'>(
      "'*' or a list of host names without scheme and port, such as ['mcp.example.com']",
      (value) => value === '*' || isListOf(value, isHostName),
    ),
  },
  origins: {
    check: accepts<readonly string[] | '*'>(
      "'*' or a list such as ['https://app.example.com']",
      (value) => value === '*' || isListOf(value, isOrigin),
    ),
  },
} satisfies OptionRows<AllowedRequestOptions>;
