import {
  AccessDeniedError,
  type Awaitable,
  InvalidArgumentError,
  InvalidRequestError,
  type OAuth2Server,
  type Request,
  Response,
  type ServerContext,
  type Token,
} from '../../lib/index.js';
import { isPrincipal, senderOf } from '../../lib/internal.js';
import { untilDisconnected } from '../http/disconnection.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import { INTERACTION } from '../interaction/interactive-feature.js';
import { readCall } from '../pages/elicitation/elicitable-call.js';
import type { Elicitation, ElicitedCall, Elicitations } from '../pages/elicitation/elicitations.js';
import { ELICITATIONS } from '../pages/elicitation/elicitations-key.js';
import type { InputRequiredResult, ToolErrorResult, UrlElicitationError } from '../pages/elicitation/results.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { withContext } from './oauth2-context.js';

/** The options of `OAuth2Elicitations.run()`. */
export interface RunOptions {
  /**
   * The class of the MCP SDK with this name. With it, clients of revision 2025-11-25 get the error -32042. If omitted,
   * they get the URL as the text of a failed tool.
   */
  UrlElicitationRequiredError?: UrlElicitationError;
}

/** The options of `OAuth2Elicitations.complete()`. */
export interface CompleteOptions {
  /**
   * Whether a request of another site may complete the elicitation, such as the redirect of a payment service. The
   * application must then protect the request from CSRF itself, for example with `state`. Default: `false`.
   */
  crossSite?: boolean;
}

type Stored = NonNullable<ReturnType<Elicitations['read']>>;

/**
 * Lets the tools of an MCP server send their user to a page in a browser, and continue afterwards. Requires
 * `urlElicitation()`. Inject it by its class, or by `@InjectOAuth2Elicitations(name)` for a named server. Requests are
 * those of Express or Fastify. With tenants, the request determines the tenant.
 * @throws {InvalidArgumentError} If `urlElicitation()` is not among the features.
 */
export class OAuth2Elicitations {
  /** @internal */
  constructor(private readonly server: OAuth2Server) {}

  /**
   * Runs a tool, a prompt or the reading of a resource. If it calls `require()`, or throws an error with the `url` of a
   * page at the origin of the issuer, the user is sent to that page: the returned result is an `InputRequiredResult` or,
   * for clients without URL elicitation, a failed result with the URL. Only the user of the access token can open it.
   * A repeated call waits for the user. If the error has a method `isResolved()`, the call waits until it returns `true`,
   * and then runs the tool again. It stops waiting when its client disconnects.
   * @param request the request for the MCP endpoint, with its parsed body, after `OAuthGuard` has verified it
   * @throws {InvalidArgumentError} If no user's access token authenticated the request.
   */
  async run<T>(
    request: NativeRequest,
    work: (elicited: ElicitedCall) => Awaitable<T>,
    { UrlElicitationRequiredError }: RunOptions = {},
  ): Promise<T | InputRequiredResult | ToolErrorResult> {
    const { token } = (request as { oauth2?: { token?: Token } }).oauth2 ?? {};
    if (token?.user?.['id'] === undefined || isPrincipal(token))
      throw new InvalidArgumentError(
        'Invalid argument: `OAuth2Elicitations.run()` requires the access token of a user: add `@UserRequired()` to the MCP endpoint',
      );
    return this.at(request, async (elicitations, { issuer, request: read }) => {
      const version: unknown = read.get('mcp-protocol-version');
      const call = readCall(read.body, typeof version === 'string' ? version : undefined);
      return untilDisconnected(request, (signal) =>
        elicitations.run({ call, token, issuer, signal }, work, UrlElicitationRequiredError),
      );
    });
  }

  /**
   * Returns the elicitation that a request for a page of the application continues, by its parameter `elicitation`.
   * @throws {InvalidRequestError} If the elicitation has expired or is invalid.
   * @throws {AccessDeniedError} (403) If another user, or no user, is signed in in this browser.
   */
  async find(request: NativeRequest): Promise<Elicitation> {
    return this.at(request, async (elicitations, place) => {
      const { id, message, data, client } = await findOwn(elicitations, place);
      return { id, message, client, ...(data !== undefined && { data }) };
    });
  }

  /**
   * Lets the call continue whose elicitation a request for a page of the application contains. Call it when the user
   * has completed the page.
   * @throws {InvalidRequestError} If the elicitation has expired, is invalid, or was completed before. With status 403,
   * if another site sent the request.
   * @throws {AccessDeniedError} (403) If another user, or no user, is signed in in this browser.
   */
  async complete(request: NativeRequest, { crossSite = false }: CompleteOptions = {}): Promise<void> {
    return this.at(request, async (elicitations, place) => {
      if (!crossSite && senderOf(place.request, place.issuer) === 'other')
        throw new InvalidRequestError('Invalid request: another site sent this request', { code: 403 }).because({
          reason: 'another site completed an elicitation',
          remedy: 'complete it in a request of your own page, or set `crossSite` and verify the request yourself',
        });
      if (await elicitations.complete(await findOwn(elicitations, place), place.issuer)) return;
      throw invalidElicitation('the elicitation was already completed');
    });
  }

  /** Runs an operation on the server that the request belongs to. */
  private async at<T>(
    native: NativeRequest,
    operation: (elicitations: Elicitations, place: Place) => Promise<T>,
  ): Promise<T> {
    const { server } = this;
    const request = toOAuthRequest(native);
    const { context } = (await tenantServersOf(server)?.find(request)) ?? server;
    const elicitations = (context as ServerContext | undefined)?.find(ELICITATIONS);
    if (!elicitations)
      throw new InvalidArgumentError(
        'Invalid argument: `OAuth2Elicitations` requires `urlElicitation()` among the `features` of the server',
      );
    const issuer = context.issuerOf(request) ?? context.options.issuer!;
    return withContext(context, request, () => operation(elicitations, { request, issuer, context }));
  }
}

interface Place {
  readonly request: Request;
  readonly issuer: string;
  readonly context: ServerContext;
}

async function findOwn(elicitations: Elicitations, { request, issuer, context }: Place): Promise<Stored> {
  const text: unknown = request.body?.['elicitation'] ?? request.query['elicitation'];
  const found = elicitations.read(typeof text === 'string' ? text : undefined, issuer);
  if (!found) throw invalidElicitation('`elicitation` is missing, expired or of another server');
  const browser = { request, response: new Response() };
  const user = await context.find(INTERACTION)!.sessions().findUser(browser, {});
  if (user && elicitations.isFor(found, user)) return found;
  throw new AccessDeniedError('Access denied: this page is for another user', { code: 403 }).because({
    reason: user ? 'a user opened the elicitation of another user' : 'no user is signed in in this browser',
  });
}

const invalidElicitation = (reason: string) =>
  new InvalidRequestError('Invalid request: this request has expired or was already answered').because({ reason });
