import { withClockOffset } from '../../../lib/kit/index.js';
import type { LabBrowser } from './browser.js';
import type { ClientShape, LabClient, LabClients } from './clients.js';
import type { LabContext } from './context.js';
import { credentialsOf, dpopProof, type ProofChanges } from './credentials.js';
import type { LabKey } from './jwt.js';
import type { LabUser } from './options.js';
import { judge, type JudgedResponse, NotApplicable, type Outcome, resisted } from './outcome.js';
import { Random } from './random.js';
import type { LabReceiver } from './receiver.js';
import { apiScopes, type Target } from './target.js';
import type { Arrival, Browsers } from './browsers.js';
import type { LabRequest, LabResponse, Wire } from './wire.js';

export type Form = Readonly<Record<string, string | undefined>>;

/** An honest client (`web`, `app`), a client of the attacker (`evil`), or one without users (`machine`). */
export type Role = 'web' | 'app' | 'evil' | 'machine';

/** How to send a request to an endpoint. */
export interface PostOptions {
  /** The DPoP proof. `null` sends none. If omitted, a valid proof if the server requires one. */
  dpop?: string | null;
  headers?: Readonly<Record<string, string>>;
}

/** The parts of the lab that all attacks share. */
export interface LabParts {
  readonly context: LabContext;
  readonly wire: Wire;
  readonly browsers: Browsers;
  /** The server of `otherTenant`. */
  readonly otherTarget: Target | undefined;
  readonly clients: LabClients;
  readonly receiver: LabReceiver;
  /** Objects that several attacks use: clients by role, the browser of the user, a registration. */
  readonly shared: Map<string, Promise<unknown>>;
  readonly dpopKey: LabKey;
  readonly callers: number;
  readonly seed: number;
  /** The number of earlier runs with this seed at the same store. */
  readonly run: number;
}

/** The requests of one attack: its clients, credentials and calls of endpoints. */
export class LabRequests {
  readonly random: Random;
  private dpopNonce: string | undefined;

  constructor(
    readonly parts: LabParts,
    private readonly attack: { readonly id: string; readonly finding: string },
  ) {
    this.random = new Random(parts.seed, attack.id, parts.run);
  }

  get target() {
    return this.parts.context.target;
  }

  get options() {
    return this.parts.context.options;
  }

  /** The user who signs in at the login page. */
  get user(): LabUser {
    return this.options.signIn as LabUser;
  }

  /** Judges a response with the finding of the attack. */
  judge = (response: JudgedResponse, isSuccess?: boolean): Outcome => judge(response, this.attack.finding, isSuccess);

  /** Carries out several attempts. Returns the first outcome that is not `resisted`, or the evidence of all. */
  async judgeAll<T>(attempts: Iterable<T>, run: (attempt: T) => Promise<Outcome | JudgedResponse>): Promise<Outcome> {
    const evidence = new Set<string>();
    for (const attempt of attempts) {
      const result = await run(attempt);
      const outcome = 'verdict' in result ? result : this.judge(result);
      if (outcome.verdict !== 'resisted') return outcome;
      evidence.add(outcome.evidence);
    }
    return resisted([...evidence].join('; '));
  }

  /** Whether tokens are bound to a DPoP key, because the profile requires it. */
  get usesDpop(): boolean {
    return this.target.features.has('fapi2') && this.target.features.has('dpop');
  }

  /** Returns the URL of an endpoint. @throws {NotApplicable} If the server has no such endpoint. */
  urlOf(endpoint: string): string {
    const url = this.target.urlOf(endpoint);
    if (url === undefined) throw new NotApplicable(`the server has no endpoint \`${endpoint}\``);
    return url;
  }

  /** Returns the URLs of those endpoints that the server has. */
  urlsOf = (endpoints: readonly string[]): string[] => endpoints.flatMap((id) => this.target.urlOf(id) ?? []);

  /** The audience of client assertions. */
  get audience(): string {
    return this.target.issuer ?? this.urlOf('token');
  }

  /** Returns the URL of a request to an endpoint. */
  at = (endpoint: string, query: Readonly<Record<string, string>> | URLSearchParams): string =>
    `${this.urlOf(endpoint)}?${new URLSearchParams(query).toString()}`;

  /** Returns the client of a role. */
  async client(role: Role | LabClient): Promise<LabClient> {
    return typeof role === 'string' ? this.share(role, () => this.newClient(SHAPES[role], role)) : role;
  }

  /** Creates a client for this attack only. */
  newClient(shape: ClientShape = {}, role = 'client'): Promise<LabClient> {
    return this.parts.clients.create(`${role}-${this.random.next(6)}`.toLowerCase(), shape);
  }

  newBrowser = (): Promise<LabBrowser> => this.parts.browsers.newBrowser();
  anonymous = (): LabBrowser => this.parts.browsers.anonymous();

  /** Returns a browser in which this user has entered the password, and the page after the login. */
  signIn = (user: LabUser) => this.parts.browsers.signIn(user, this.urlOf('login'));

  /** Returns the browser of the honest user. */
  victim(): Promise<LabBrowser> {
    return this.share('victim', this.newBrowser);
  }

  /** Opens a URL in the browser of the user, or in another one, and follows the pages. */
  async visit(url: string, browser?: LabBrowser): Promise<Arrival> {
    const used = browser ?? (await this.victim());
    return this.parts.browsers.follow(used, await used.open(url));
  }

  async signOut(browser: LabBrowser): Promise<void> {
    const logout = this.target.urlOf('logout');
    if (logout !== undefined) await browser.open(logout, { method: 'POST', form: {} });
  }

  /** Returns the object with this name, and makes it on first use. */
  share<T>(name: string, make: () => Promise<T>): Promise<T> {
    const { shared } = this.parts;
    if (!shared.has(name)) shared.set(name, make());
    return shared.get(name) as Promise<T>;
  }

  send = (url: string, request?: LabRequest): Promise<LabResponse> => this.parts.wire.send(url, request);

  /** Sends a form to an endpoint. Without a client, the request contains no credentials. */
  async post(endpoint: string, role: Role | LabClient | undefined, form: Form, { dpop, headers }: PostOptions = {}) {
    const client = role && (await this.client(role));
    const url = this.urlOf(endpoint);
    const audience = this.target.issuer ?? url;
    const credentials = client && credentialsOf(client, audience, this.random);
    const isProven = dpop === undefined && this.usesDpop && endpoint === 'token';
    const proof = isProven ? this.proof(url) : dpop;
    const all = { ...credentials?.headers, ...(typeof proof === 'string' && { dpop: proof }), ...headers };
    const response = await this.send(url, { method: 'POST', form: { ...credentials?.form, ...form }, headers: all });
    if (!isProven || response.json['error'] !== 'use_dpop_nonce') return response;
    this.dpopNonce = String(response.headers['dpop-nonce']);
    return this.send(url, {
      method: 'POST',
      form: { ...form, ...(client && credentialsOf(client, audience, this.random).form) },
      headers: { ...all, dpop: this.proof(url) },
    });
  }

  proof = (url: string, changes: ProofChanges = {}, key = this.parts.dpopKey): string =>
    dpopProof(key, url, this.random, { nonce: this.dpopNonce, ...changes });

  /** Calls the guarded route with an access token. */
  callRoute(token: string | undefined, { headers = {}, dpop, scheme }: PostOptions & { scheme?: string } = {}) {
    const { method = 'GET' } = this.target.guarded ?? {};
    const url = this.target.guardedUrl ?? new URL('/', this.target.origin).href;
    const isBound = dpop === undefined ? this.usesDpop : dpop !== null;
    const proof = dpop ?? (isBound && token !== undefined && this.proof(url, { method, token }));
    return this.callGuarded(url, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `${scheme ?? (isBound ? 'DPoP' : 'Bearer')} ${token}` }),
        ...(typeof proof === 'string' && { dpop: proof }),
        ...headers,
      },
    });
  }

  /** Sends a request to a guarded route, which may accept a token although it responds with an error of its own. */
  async callGuarded(url: string, request: LabRequest) {
    const response = await this.send(url, request);
    const { status, headers } = response;
    const isRefused = status === 401 || status === 403 || headers['www-authenticate'] !== undefined;
    return { ...response, isAccepted: status < 500 && !isRefused };
  }

  /** Runs a function while the clock of the application is ahead. */
  later = <T>(ahead: number, act: () => Promise<T>): Promise<T> => withClockOffset(ahead * 1000, act);

  /** Returns a request of the client credentials grant without credentials. */
  async machineForm(): Promise<Record<string, string>> {
    const { scopes } = await this.client('machine');
    const { resource } = this.target;
    const scope = apiScopes(scopes).join(' ');
    return { grant_type: 'client_credentials', scope, ...(resource !== undefined && { resource }) };
  }

  /** Runs requests at the same time. */
  race = (request: (at: number) => Promise<LabResponse>): Promise<LabResponse[]> =>
    Promise.all(Array.from({ length: this.parts.callers }, (_, at) => request(at)));
}

const SHAPES: Readonly<Record<Role, ClientShape>> = {
  web: {},
  evil: {},
  app: { isPublic: true },
  machine: { grants: ['client_credentials'] },
};
