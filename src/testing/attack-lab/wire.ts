import { Agent, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { Agent as TlsAgent, request as requestHttps } from 'node:https';
import { ApplicationStopped, Inconclusive } from './stop.js';

/** A request of the lab. */
export interface LabRequest {
  /** Default: `GET`, or `POST` with `form` or `body`. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** The fields of a form. Members with the value `undefined` are not sent. */
  form?: Readonly<Record<string, string | undefined>> | URLSearchParams;
  body?: string;
}

/** A request as it was sent. */
export interface SentRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

/** A response of the application. */
export interface LabResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The members of the JSON object in the body. Empty for other bodies. */
  json: Readonly<Record<string, unknown>>;
  sent: SentRequest;
}

/** Maximum number of characters that are read of a response. */
const MAX_BODY = 1_000_000;
/** Milliseconds after which a WebSocket that is still open counts as accepted. */
const SOCKET_PATIENCE = 5000;
/** Number of requests without a response after which the lab ends. */
const MAX_SILENT = 3;

/** Sends requests to the application at its local address, whatever host their URLs name. */
export class Wire {
  private readonly agent: Agent;
  private silent = 0;

  /**
   * @param address where the application listens
   * @param patience milliseconds to wait for each response
   * @param deadline the time of `performance.now()` at which the lab ends
   */
  constructor(
    private readonly address: { host: string; port: number; isTls: boolean },
    private readonly patience: number,
    private readonly deadline: number,
  ) {
    const options = { keepAlive: true, maxSockets: 64 };
    this.agent = address.isTls ? new TlsAgent({ ...options, rejectUnauthorized: false }) : new Agent(options);
  }

  /**
   * Sends a request without normalizing its path, and does not follow redirects.
   * @throws {Inconclusive} If the application does not respond in time.
   */
  async send(url: string, { method, headers = {}, form, body }: LabRequest = {}): Promise<LabResponse> {
    if (this.silent >= MAX_SILENT || performance.now() > this.deadline) {
      throw new ApplicationStopped(
        this.silent >= MAX_SILENT ? 'the application stopped responding' : 'the time limit of the lab was reached',
      );
    }
    const text = form === undefined ? body : encodeForm(form);
    const sent: SentRequest = {
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      url,
      headers: { ...(form && { 'content-type': 'application/x-www-form-urlencoded' }), ...headers },
      body: text,
    };
    return this.exchange(sent);
  }

  /** Opens a WebSocket. Returns whether it stays open, so that the gateway has accepted its headers. RFC 6455 §4.1 */
  openSocket(url: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
    const { host, port, isTls } = this.address;
    const { host: authority, pathname, search } = new URL(url);
    return new Promise((resolve) => {
      const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      // 16 bytes, as RFC 6455 §4.1 requires.
      const key = { 'sec-websocket-key': Buffer.from('attack-lab-bytes').toString('base64') };
      const request = (isTls ? requestHttps : requestHttp)({
        host,
        port,
        path: pathname + search,
        headers: { host: authority, ...upgrade, ...key, ...headers },
        rejectUnauthorized: false,
      });
      let opened: { destroy(): unknown } = request;
      const end = (isOpen: boolean) => {
        clearTimeout(timer);
        opened.destroy();
        resolve(isOpen);
      };
      let timer = setTimeout(end, this.patience, false);
      request.on('response', () => end(false)).on('error', () => end(false));
      request.on('upgrade', (_response, socket, head) => {
        opened = socket;
        clearTimeout(timer);
        timer = setTimeout(end, Math.min(this.patience, SOCKET_PATIENCE), true);
        // An accepted connection begins with neither an exception nor a close frame. RFC 6455 §5.5.1
        const read = (frame: Buffer) => end(!frame.includes('"exception"') && (frame[0]! & 0x0f) !== 8);
        if (head.length > 0) read(head);
        socket
          .on('data', read)
          .on('close', () => end(false))
          .on('error', () => end(false));
      });
      request.end();
    });
  }

  /** Closes all connections. */
  close(): void {
    this.agent.destroy();
  }

  private exchange(sent: SentRequest): Promise<LabResponse> {
    const { host, port, isTls } = this.address;
    const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)([^#]*)/.exec(sent.url) ?? [];
    const length = sent.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent.body)) };
    return new Promise((resolve, reject) => {
      const options = {
        host,
        port,
        method: sent.method,
        path: path.startsWith('/') ? path : `/${path}`,
        headers: { host: authority, ...length, ...sent.headers },
        agent: this.agent,
      };
      const request = (isTls ? requestHttps : requestHttp)(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (text.length < MAX_BODY) text += chunk;
        });
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, text, json: parseObject(text), sent });
        });
      });
      const fail = (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        // The application closed an idle connection while the request was on its way, as it does after a pause.
        if (request.reusedSocket && error.code === 'ECONNRESET') return resolve(this.exchange(sent));
        reject(new Inconclusive(`${sent.method} ${sent.url.split('?')[0]!} got no response: ${error.message}`));
      };
      const timer = setTimeout(() => {
        this.silent += 1;
        request.destroy(new Error(`nothing was received for ${this.patience} ms`));
      }, this.patience);
      request.on('error', fail);
      request.end(sent.body);
    });
  }
}

function encodeForm(form: NonNullable<LabRequest['form']>): string {
  if (form instanceof URLSearchParams) return form.toString();
  const fields = Object.entries(form).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(fields).toString();
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
