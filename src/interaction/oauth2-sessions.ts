import { InvalidArgumentError, type OAuth2Server, type Request, Response, type User } from '../../lib/index.js';
import { type NativeRequest, sendOAuthResponse, toOAuthRequest } from '../http/http-adapter.js';
import { INTERACTION } from './interactive-feature.js';
import { writeInteractionResponse } from './interaction-response.js';
import type {
  BrowserRequest,
  FindUserOptions,
  SessionOperations,
  SignInOptions,
  UserSession,
} from './session-operations.js';
import { copyHeaders, type NativeReply } from '../http/native-reply.js';
import { withContext } from '../module/oauth2-context.js';
import type { Html } from '../pages/render/html.js';
import type { PageContent } from '../pages/render/page-renderer.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';

/**
 * The login sessions of the ready-made pages, for the application's own pages: sign-up, password reset, e-mail links,
 * social login. Inject it by its class, or by `@InjectOAuth2Sessions(name)` for a named server. Requests and replies
 * are those of Express or Fastify. With tenants, the request determines the tenant.
 * @throws {InvalidArgumentError} If `pages()` is not among the features.
 */
export class OAuth2Sessions {
  /** @internal */
  constructor(private readonly server: OAuth2Server) {}

  /**
   * Signs a user in and starts a new session in this browser. If the user must still enter a second factor, no session
   * starts, and the returned URL is the page that asks for it. A login needs no second factor if its `amr` contains
   * `mfa` or its `acr` is that of the second factor. Sets cookies on the reply and sends nothing.
   * @param user an authenticated user with an `id`
   * @returns the path on this server to redirect the browser to: the page of the second factor, or the path in
   * `returnTo` or `return_to`, usually the authorization request that led to the login. `null` if there is no path; the
   * application then shows a page of its own.
   * @throws {InvalidRequestError} (403) If a form of another site sent the request, which would be login CSRF.
   * RFC 9700 §4.7
   */
  async signIn(
    request: NativeRequest,
    reply: NativeReply,
    user: User,
    options: SignInOptions = {},
  ): Promise<string | null> {
    return this.run(request, reply, (operations, browser) => operations.signIn(user, browser, options));
  }

  /**
   * Signs the user out in this browser, and notifies clients by back-channel logout. With `signOutEndsGrants`, also
   * revokes all grants of the user. Front-channel logout requires the page `oauth/logout`. Sets cookies on the reply
   * and sends nothing.
   */
  async signOut(request: NativeRequest, reply: NativeReply): Promise<void> {
    return this.run(request, reply, (operations, browser) => operations.signOut(browser));
  }

  /**
   * Returns the user who is signed in in this browser, or `undefined`. With `maxAge`, only a user whose login is recent:
   * require it before you add a passkey, another sign-in or a second factor to the account.
   * @throws {InvalidArgumentError} If `maxAge` is no number of seconds.
   */
  async findUser(request: NativeRequest, options: FindUserOptions = {}): Promise<User | undefined> {
    return this.run(request, undefined, (operations, browser) => operations.findUser(browser, options));
  }

  /**
   * Returns the sessions of a user in all browsers, for a page such as "Where you are signed in".
   * @param user the user. If omitted, the user who is signed in in this browser. If no user is signed in, the list is
   * empty.
   * @throws {InvalidArgumentError} If the model has no method `listSessions()`.
   */
  async list(request: NativeRequest, user?: User): Promise<UserSession[]> {
    return this.run(request, undefined, (operations, browser) => operations.list(browser, user));
  }

  /**
   * Ends a session of a user in any browser, and notifies clients by back-channel logout. The session is no longer
   * remembered.
   * @param id the `id` of a listed session. Sessions of other users are never ended.
   * @param user the owner of the session. If omitted, the user who is signed in in this browser.
   * @returns whether the session was active
   * @throws {InvalidArgumentError} If the model has no method `listSessions()` or `endSession()`.
   */
  async end(request: NativeRequest, id: string, user?: User): Promise<boolean> {
    return this.run(request, undefined, (operations, browser) => operations.end(browser, id, user));
  }

  /**
   * Ends all sessions of a user except that of this browser, and notifies clients by back-channel logout. Use it after
   * a password change, for example. Tokens of clients stay valid; `revokeGrantsOf({ userId })` of a store revokes them
   * too.
   * @param user the owner of the sessions. If omitted, the user who is signed in in this browser.
   * @returns the number of sessions that were active
   * @throws {InvalidArgumentError} If the model has no method `listSessions()` or `endSessions()`, or its sessions have
   * no `id`.
   */
  async endOthers(request: NativeRequest, user?: User): Promise<number> {
    return this.run(request, undefined, (operations, browser) => operations.endOthers(browser, user));
  }

  /**
   * Returns the hidden fields for a form of the application that calls `signIn()`: the `return_to` of the request and a
   * CSRF token. May set a cookie on the reply.
   */
  async formFields(request: NativeRequest, reply: NativeReply): Promise<Html> {
    return this.run(request, reply, async (operations, browser) => operations.formFields(browser));
  }

  /**
   * Sends a page of the application in the look, language and Content Security Policy of the ready-made pages. `title`
   * and a `main` that is text are escaped. Use the tag `html` of `nest-oauth2/pages` for markup.
   */
  async page(request: NativeRequest, reply: NativeReply, content: PageContent): Promise<void> {
    const response = new Response();
    await this.run(request, undefined, async (operations, { request: oauthRequest }) =>
      writeInteractionResponse(response, operations.page(content, { request: oauthRequest, response })),
    );
    sendOAuthResponse(response, reply);
  }

  /** Runs an operation on the server that the request belongs to, and copies the cookies that it sets to the reply. */
  private async run<T>(
    native: NativeRequest,
    reply: NativeReply | undefined,
    operation: (operations: SessionOperations, browser: BrowserRequest) => Promise<T>,
  ): Promise<T> {
    const request = toOAuthRequest(native);
    const response = new Response();
    const server = await this.serverOf(request);
    const operations = operationsOf(server);
    const result = await withContext(server.context, request, () => operation(operations, { request, response }));
    if (reply) copyHeaders(response, reply);
    return result;
  }

  private async serverOf(request: Request): Promise<OAuth2Server> {
    const { server } = this;
    return tenantServersOf(server)?.find(request) ?? server;
  }
}

function operationsOf({ context }: OAuth2Server): SessionOperations {
  // A mock server of a test may have no context.
  const operations = (context as OAuth2Server['context'] | undefined)?.find(INTERACTION)?.sessions();
  if (operations) return operations;
  throw new InvalidArgumentError(
    'Invalid argument: `OAuth2Sessions` requires `pages()` among the `features` of `OAuth2Module`',
  );
}
