import { withClockOffset } from '../../../lib/kit/index.js';
import type { LabBrowser } from './browser.js';
import type { ClientShape, LabClient, LabClients } from './clients.js';
import type { LabContext } from './context.js';
import { credentialsOf, dpopProof, type ProofChanges } from './credentials.js';
import type { LabKey } from './jwt.js';
import { NotApplicable } from './outcome.js';
import { Random } from './random.js';
import type { LabReceiver } from './receiver.js';
import type { Target } from './target.js';
import type { Browsers } from './browsers.js';
import type { LabRequest, LabResponse, Wire } from './wire.js';

export type Form = Readonly<Record<string, string | undefined>>;

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
}

/** The requests of one attack: its clients, credentials and calls of endpoints. */
export class LabRequests {
  readonly random: Random;
  private dpopNonce: string | undefined;

  constructor(
    readonly parts: LabParts,
    attack: string,
  ) {
    this.random = new Random(parts.seed, attack);
  }

  get target() {
    return this.parts.context.target;
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

  /** Returns the URL of a request to an endpoint. */
  at = (endpoint: string, query: Readonly<Record<string, string>> | URLSearchParams): string =>
    `${this.urlOf(endpoint)}?${new URLSearchParams(query).toString()}`;

  /** Returns an honest client (`web`, `app`), a client of the attacker (`evil`), or one without users (`machine`). */
  client(role: 'web' | 'app' | 'evil' | 'machine'): Promise<LabClient> {
    return this.share(role, () => this.newClient(SHAPES[role], role));
  }

  /** Creates a client for this attack only. */
  newClient(shape: ClientShape, role = 'client'): Promise<LabClient> {
    return this.parts.clients.create(`${role}-${this.random.next(6)}`.toLowerCase(), shape);
  }

  /** Returns the browser of the honest user. */
  victim(): Promise<LabBrowser> {
    return this.share('victim', () => this.parts.browsers.newBrowser());
  }

  /** Returns the object with this name, and makes it on first use. */
  share<T>(name: string, make: () => Promise<T>): Promise<T> {
    const { shared } = this.parts;
    if (!shared.has(name)) shared.set(name, make());
    return shared.get(name) as Promise<T>;
  }

  send = (url: string, request?: LabRequest): Promise<LabResponse> => this.parts.wire.send(url, request);

  /** Sends a form to an endpoint. Without a client, the request contains no credentials. */
  async post(endpoint: string, client: LabClient | undefined, form: Form, { dpop, headers }: PostOptions = {}) {
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
    const { path, method = 'GET' } = this.target.guarded ?? { path: '/' };
    const url = new URL(path, this.target.origin).href;
    const isBound = dpop === undefined ? this.usesDpop : dpop !== null;
    const proof = dpop ?? (isBound && token !== undefined && this.proof(url, { method, token }));
    return this.send(url, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `${scheme ?? (isBound ? 'DPoP' : 'Bearer')} ${token}` }),
        ...(typeof proof === 'string' && { dpop: proof }),
        ...headers,
      },
    });
  }

  /** Whether the guarded route accepts the token of a response. */
  static isAccepted = ({ status, headers }: LabResponse): boolean =>
    status < 500 && status !== 401 && status !== 403 && headers['www-authenticate'] === undefined;

  /** Runs a function while the clock of the application is ahead. */
  later = <T>(ahead: number, act: () => Promise<T>): Promise<T> => withClockOffset(ahead * 1000, act);

  /** Returns a request of the client credentials grant without credentials. */
  async machineForm(): Promise<Record<string, string>> {
    const { scopes } = await this.client('machine');
    const { resource } = this.target;
    const scope = scopes.filter((one) => one !== 'openid' && one !== 'offline_access').join(' ');
    return { grant_type: 'client_credentials', scope, ...(resource !== undefined && { resource }) };
  }

  /** Runs requests at the same time. */
  race = (request: (at: number) => Promise<LabResponse>): Promise<LabResponse[]> =>
    Promise.all(Array.from({ length: this.parts.callers }, (_, at) => request(at)));
}

const SHAPES: Readonly<Record<'web' | 'app' | 'evil' | 'machine', ClientShape>> = {
  web: {},
  evil: {},
  app: { isPublic: true },
  machine: { grants: ['client_credentials'] },
};
