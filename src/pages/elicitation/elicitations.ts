import { hash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { consumeOnce, ExpiringTexts, SERVER_SECRETS } from '../../../lib/internal.js';
import {
  type Awaitable,
  type CountModel,
  InvalidArgumentError,
  type ServerContext,
  type Token,
  type User,
} from '../../../lib/index.js';
import { serverKey } from '../../tenants/tenant-of.js';
import { type CallingClient, clientOf, type ElicitableCall } from './elicitable-call.js';
import {
  type InputRequiredResult,
  refusedResult,
  resultOf,
  type ToolErrorResult,
  type UrlElicitationError,
} from './results.js';

/** The task of the user at a browser. */
export interface RequiredPage {
  /** Why the user must open the page: a sentence of at most 500 characters, which the client shows. */
  message: string;
  /**
   * The page of the application: its path, or its URL at the origin of the issuer. It receives the parameter
   * `elicitation`. If omitted, a page of the library asks the user to confirm `message`.
   */
  url?: string;
  /** The data for the page, such as an amount: JSON of at most 1,000 characters. Clients cannot read it. */
  data?: unknown;
}

/** What the function of `OAuth2Elicitations.run()` receives. */
export interface ElicitedCall {
  /**
   * Continues if the user has completed the page for this call. Each completion lets one call continue. Otherwise, the
   * call ends here, and its client is told the URL of the page.
   * @throws {InvalidArgumentError} If the message, the URL or the data are invalid.
   */
  require(page: RequiredPage): Promise<void>;
}

/** An elicitation as its URL contains it. Other parties cannot read or change it. */
export interface Elicitation {
  readonly id: string;
  readonly message: string;
  /** The `data` that the tool passed. */
  readonly data?: unknown;
  /** The client whose call needs the page. For a personal access token, its ID and name. */
  readonly client: CallingClient;
}

interface StoredElicitation extends Elicitation {
  readonly userId: string;
  readonly url?: string;
  /** The key of the call that continues. */
  readonly call?: string;
}

/** The settings of the elicitations of a server, in seconds. */
export interface ElicitationSettings {
  readonly lifetime: number;
  readonly wait: number;
}

/** The endpoint of the page to which every URL of an elicitation leads. */
export const ELICITATION = 'elicitation';

/** A counter of completions counts each one as 1,000, and each call that continued as 1. */
const COMPLETION = 1000;

const MAX_MESSAGE = 500;
const MAX_URL = 2000;
const MAX_DATA = 1000;

/** Why the tool stops: the user must open a page. */
class PageRequired extends Error {
  constructor(
    readonly page: RequiredPage,
    readonly call: string,
  ) {
    super(page.message);
  }
}

/** A call of an MCP client whose tool is run. */
interface RunningCall {
  readonly call: ElicitableCall;
  readonly token: Token;
  readonly issuer: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The elicitations of one server. */
export class Elicitations {
  private readonly texts: ExpiringTexts<StoredElicitation>;

  constructor(
    private readonly server: ServerContext,
    private readonly settings: ElicitationSettings,
  ) {
    this.texts = new ExpiringTexts(server.find(SERVER_SECRETS) ?? [], 'nest-oauth2 url elicitation');
  }

  /**
   * Runs a tool. If it requires a page, or throws an error with the `url` of a page of this server, returns the result
   * that sends the user there.
   */
  async run<T>(
    running: RunningCall,
    work: (elicited: ElicitedCall) => Awaitable<T>,
    Failure?: UrlElicitationError,
  ): Promise<T | InputRequiredResult | ToolErrorResult> {
    const { call, token, issuer } = running;
    const client = clientOf(token);
    const key = (page: RequiredPage) =>
      this.digestOf(issuer, [token.user['id'], client.id, call.digest, page.message, page.url, page.data]);
    try {
      return await work({ require: (page) => this.require(verified(page, issuer), running, key(page)) });
    } catch (error) {
      const page = error instanceof PageRequired ? error.page : pageOf(error, issuer);
      if (!page) throw error;
      if (call.action === 'decline' || call.action === 'cancel') return refusedResult(call, page.message);
      const isResolved = resolutionOf(error);
      if (isResolved && call.action === 'accept' && (await this.waitFor(isResolved, running)))
        return this.run({ ...running, call: { ...call, action: undefined } }, work, Failure);
      const id = randomBytes(16).toString('base64url');
      const stored: StoredElicitation = {
        id,
        userId: String(token.user['id']),
        client,
        message: page.message,
        ...(page.url !== undefined && { url: new URL(page.url, issuer).href }),
        ...(page.data !== undefined && { data: page.data }),
        ...(error instanceof PageRequired && { call: error.call }),
      };
      const url = new URL(this.server.urlOf(ELICITATION, issuer)!);
      url.searchParams.set('elicitation', this.texts.encrypt(stored, this.settings.lifetime, this.ownerOf(issuer)));
      return resultOf(call, { elicitationId: id, url: url.href, message: page.message }, Failure);
    }
  }

  /** Returns the elicitation in the parameter `elicitation`. `undefined` if it is expired or of another server. */
  read(text: string | undefined, issuer: string): StoredElicitation | undefined {
    return this.texts.decrypt(text, this.ownerOf(issuer));
  }

  /** Whether an elicitation is for a user. */
  isFor({ userId }: StoredElicitation, user: User): boolean {
    return userId === String(user['id']);
  }

  /** Lets the call continue, once. Returns `false` if the elicitation was completed before. */
  async complete({ id, call }: StoredElicitation, issuer: string): Promise<boolean> {
    const { lifetime } = this.settings;
    const { model } = this.server.options;
    if (!(await consumeOnce(model, this.digestOf(issuer, ['completed', id]), 2 * lifetime))) return false;
    if (call !== undefined) await this.counts.countWithin(call, lifetime, COMPLETION);
    return true;
  }

  private async require(page: RequiredPage, running: RunningCall, key: string): Promise<void> {
    if (!(await this.waitFor(() => this.take(key), running))) throw new PageRequired(page, key);
  }

  /**
   * Waits until the user has completed a page, if the call is a retry. Returns `false` if the user has not, or if the
   * client has disconnected.
   */
  private async waitFor(isCompleted: () => Awaitable<boolean>, { call, signal }: RunningCall): Promise<boolean> {
    // A client retries as soon as the user has agreed to open the page.
    const deadline = Date.now() + (call.action === 'accept' ? this.settings.wait * 1000 : 0);
    while (!signal.aborted) {
      if (await isCompleted()) return true;
      if (Date.now() >= deadline) return false;
      await setTimeout(Math.min(1000, this.settings.wait * 100), undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  /** Uses one completion. Of several concurrent calls, as many return `true` as there are completions. */
  private async take(key: string): Promise<boolean> {
    const { lifetime } = this.settings;
    const { count } = await this.counts.countWithin(key, lifetime, 0);
    if (count % COMPLETION >= Math.floor(count / COMPLETION)) return false;
    const { count: taken } = await this.counts.countWithin(key, lifetime, 1);
    if (taken % COMPLETION <= Math.floor(taken / COMPLETION)) return true;
    await this.counts.countWithin(key, lifetime, -1);
    return false;
  }

  private get counts(): CountModel {
    return this.server.options.model as object as CountModel;
  }

  private ownerOf(issuer: string): string {
    return serverKey(this.server, issuer);
  }

  private digestOf(issuer: string, parts: readonly unknown[]): string {
    return `elicitation ${hash('sha256', JSON.stringify([this.ownerOf(issuer), ...parts]), 'base64url')}`;
  }
}

/** Returns a page that a tool requires. */
function verified(page: RequiredPage, issuer: string): RequiredPage {
  const { message, url, data } = page;
  const isValid = typeof message === 'string' && message !== '' && message.length <= MAX_MESSAGE && isDataOfPage(data);
  if (isValid && (url === undefined || isOfOrigin(url, issuer))) return page;
  throw new InvalidArgumentError(
    `Invalid argument: an elicitation needs a \`message\` of at most ${MAX_MESSAGE} characters, a \`url\` at the origin of the issuer, and \`data\` of at most ${MAX_DATA} characters of JSON`,
  );
}

const isDataOfPage = (data: unknown) => data === undefined || (JSON.stringify(data) ?? '').length <= MAX_DATA;

const isOfOrigin = (url: unknown, issuer: string) =>
  typeof url === 'string' &&
  url.length <= MAX_URL &&
  URL.canParse(url, issuer) &&
  new URL(url, issuer).origin === new URL(issuer).origin;

/** Returns the page of an error with a `url` on this server, as the features of an application throw. */
function pageOf(error: unknown, issuer: string): RequiredPage | undefined {
  const { url, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  if (typeof message !== 'string' || url === '' || !isOfOrigin(url, issuer)) return undefined;
  return { url: url as string, message: message.slice(0, MAX_MESSAGE) };
}

/** Returns the method `isResolved()` of an error. `undefined` if it has none: the tool itself must then be run again. */
function resolutionOf(error: unknown): (() => Awaitable<boolean>) | undefined {
  const { isResolved } = (typeof error === 'object' && error !== null ? error : {}) as { isResolved?: unknown };
  return typeof isResolved === 'function' ? async () => (await isResolved.call(error)) === true : undefined;
}
