import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** The position of the status code in `HTTP/1.1 200 OK`. */
const STATUS = 'HTTP/1.1 '.length;

/**
 * A persistent HTTP/1.1 connection that sends one request at a time. It reads the status, and finds the end of a
 * response by `Content-Length` or by the chunks. It does nothing else, because a load generator shares the processors
 * with the measured server.
 */
export class Connection {
  #socket;
  #received = '';
  #answer;

  constructor(socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text) => this.#read(text));
    socket.on('error', (error) => this.#answer?.reject(error));
    socket.on('close', () => this.#answer?.reject(new Error('The server closed the connection.')));
  }

  static async open({ hostname, port }) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends a serialised request and resolves to `{ status, text }`, where the text is the response with its head. */
  send(bytes) {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#answer = undefined;
    this.#socket.destroy();
  }

  #read(text) {
    this.#received = this.#received === '' ? text : this.#received + text;
    const end = endOf(this.#received);
    if (end === undefined || this.#received.length < end) return;
    const response = this.#received;
    this.#received = '';
    const answer = this.#answer;
    this.#answer = undefined;
    if (response.length > end) answer.reject(new Error(`Unexpected data after a response: ${response.slice(end)}`));
    else answer.resolve({ status: Number(response.slice(STATUS, STATUS + 3)), text: response });
  }
}

/** Returns the length of the response, or `undefined` if too little of it was received to know. */
function endOf(received) {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const start = headEnd + HEAD_END.length;
  const head = received.slice(0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (length) return start + Number(length[1]);
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? endOfChunks(received, start) : start;
}

function endOfChunks(received, start) {
  for (let at = start; ;) {
    const line = received.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(received.slice(at, line), 16);
    at = line + 2 + size + 2;
    if (size === 0) return at;
    if (at > received.length) return undefined;
  }
}

/** Returns a request as it is sent. `body` is optional and contains ASCII only. */
export function serialised({ method, path, headers = {}, body = '' }, host) {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`;
}
