import { senderOf, signInClaims } from '../../../lib/internal.js';
import { InvalidArgumentError, InvalidRequestError, type Session, type User } from '../../../lib/index.js';
import { isSameUser } from '../../interaction/same-user.js';
import type {
  FindUserOptions,
  SessionOperations,
  SignInOptions,
  UserSession,
} from '../../interaction/session-operations.js';
import { hidden } from '../default/fields.js';
import { endSessionHere } from './end-session.js';
import type { Html } from '../render/html.js';
import { localPath } from '../local-path.js';
import type { PageContent, RenderedPage } from '../render/page-renderer.js';
import { preferencesOf, returnPath, returnRequest, type Site, textOf, type PageRequest } from '../site.js';
import { UserSessions } from './user-sessions.js';
import { loginFlowOf } from '../login/login-flow.js';

/** Methods of requests that links and identity providers may send. RFC 9110 §9.2.1 */
const SAFE = ['GET', 'HEAD'];

/** The operations of `OAuth2Sessions` on one server. */
export class SiteSessions implements SessionOperations {
  constructor(private readonly site: Site) {}

  async signIn(user: User, browser: PageRequest, options: SignInOptions): Promise<string | null> {
    const { site } = this;
    verifyUser(user);
    this.verifySender(browser, options);
    const { acr, amr, authTime } = options;
    signInClaims({
      ...(acr !== undefined && { acr }),
      ...(amr !== undefined && { amr }),
      ...(authTime && { authTime }),
    });
    if (!site.modelSessions) verifyNoSignInDetails(options);
    const remember = options.remember === true;
    if (remember) verifyRemembering(site);
    const { request, response } = browser;
    const returnTo = options.returnTo === undefined ? returnPath(request) : localPath(options.returnTo);
    const pageRequest = { request: returnRequest(site, request, returnTo), response };
    const login = { user, acr, amr: amr ?? [], remember, ...(authTime && { authTime }) };
    return (await loginFlowOf(site).continue(login, pageRequest, { endpoint: 'sessions' })).path ?? null;
  }

  async signOut(pageRequest: PageRequest): Promise<void> {
    await endSessionHere(this.site, pageRequest);
  }

  async findUser({ request }: PageRequest, { maxAge }: FindUserOptions): Promise<User | undefined> {
    if (maxAge !== undefined && !(maxAge >= 0)) throw new InvalidArgumentError(INVALID_MAX_AGE);
    const user = (await this.site.findUser(request)) || undefined;
    if (!user || maxAge === undefined) return user;
    const { authTime } = (await this.site.sessions.howSignedIn?.(user, request)) || {};
    return authTime && Date.now() - authTime.getTime() <= maxAge * 1000 ? user : undefined;
  }

  async list(pageRequest: PageRequest, user?: User): Promise<UserSession[]> {
    const { owner, current } = await this.ownerOf(pageRequest, user);
    return owner ? this.sessions.list(owner, current) : [];
  }

  async end(pageRequest: PageRequest, id: string, user?: User): Promise<boolean> {
    const { owner } = await this.ownerOf(pageRequest, user);
    return owner ? this.sessions.end(owner, id) : false;
  }

  async endOthers(pageRequest: PageRequest, user?: User): Promise<number> {
    const { owner, current } = await this.ownerOf(pageRequest, user);
    return owner ? this.sessions.endOthers(owner, current) : 0;
  }

  formFields(pageRequest: PageRequest): Html {
    return hidden(this.site.fields(pageRequest, { return_to: returnPath(pageRequest.request) }));
  }

  page(content: PageContent, { request }: PageRequest): RenderedPage {
    return this.site.renderer.page(content, preferencesOf(request, textOf(request, 'return_to')));
  }

  /** Returns the user whose sessions are affected, and the session of this browser if it belongs to that user. */
  private async ownerOf(
    { request }: PageRequest,
    user: User | undefined,
  ): Promise<{ owner?: User; current?: Session }> {
    const session = await this.site.modelSessions?.findSession(request);
    const owner = user ?? ((await this.site.findUser(request)) || undefined);
    if (!owner) return {};
    return { owner, ...(session && isSameUser(session.user, owner) && { current: session }) };
  }

  private get sessions(): UserSessions {
    return new UserSessions(this.site.server);
  }

  /**
   * Rejects login CSRF: a form of another site that would sign the user in as the attacker. A page that hides its
   * origin must send the token of `formFields()`.
   * @throws {InvalidRequestError} (403) If another site sent the form.
   */
  private verifySender(pageRequest: PageRequest, { crossSite = false }: SignInOptions): void {
    const { request } = pageRequest;
    if (crossSite || SAFE.includes(request.method)) return;
    const sender = senderOf(request, this.site.server.issuerOf(request));
    if (sender === 'own' || (sender === 'hidden' && this.site.hasValidCsrfToken(pageRequest))) return;
    throw new InvalidRequestError('Invalid request: the form was sent by a page of another site', { code: 403 });
  }
}

const INVALID_MAX_AGE = 'Invalid argument: `maxAge` of `findUser()` must be a number of seconds, 0 or more';

function verifyRemembering({ options }: Site): void {
  if (options.rememberLifetime !== undefined) return;
  throw new InvalidArgumentError(
    'Invalid argument: `remember` of `signIn()` requires the option `rememberLifetime` of `pages()`',
  );
}

function verifyUser(user: User): void {
  const id: unknown = (user as User | undefined)?.['id'];
  if ((typeof id === 'string' && id !== '') || typeof id === 'number' || typeof id === 'bigint') return;
  throw new InvalidArgumentError('Invalid argument: `signIn()` requires a user with an `id`, a string or a number');
}

/**
 * Verifies that no login details are passed, because the application's own sessions do not store them.
 * @throws {InvalidArgumentError} If `acr`, `amr` or `authTime` is set.
 */
function verifyNoSignInDetails({ acr, amr, authTime }: SignInOptions): void {
  if ((acr ?? amr ?? authTime) === undefined) return;
  throw new InvalidArgumentError(
    'Invalid argument: `acr`, `amr` and `authTime` of `signIn()` are not stored with your own `sessions`: ' +
      'return them from the `howSignedIn()` of `sessions`',
  );
}
