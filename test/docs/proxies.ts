import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IssuedCertificate } from '../support/keys/certificates.js';
import { CERTIFICATE, KEY } from '../support/servers/tls-server.js';
import { hasProgram } from '../support/environment/requirements.js';
import { waitUntil } from '../support/environment/wait-until.js';

const docs = join(import.meta.dirname, '../../docs');

/** Returns the code block of a page whose first line begins with `# ` and this comment. */
export function blockOf(page: string, comment: string): string {
  const markdown = readFileSync(join(docs, page), 'utf8');
  const blocks = [...markdown.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, body]) => body!);
  const found = blocks.find((body) => body.startsWith(`# ${comment}\n`));
  if (found === undefined) throw new Error(`${page} has no code block that begins with "# ${comment}"`);
  return found;
}

export type Program = 'nginx' | 'haproxy' | 'apache2';

/** Returns whether a program is installed. If not, reports it as missing. */
export const isInstalled = (program: Program): boolean => hasProgram(program, program, ['-v']);

/** The configuration around the blocks of the page, and the arguments that start the program with it. */
const RUN: Record<Program, (folder: string, config: string, port: number) => { text: string; args: string[] }> = {
  nginx: (folder, config) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (one) => `${one}_temp_path ${folder}/${one};`,
    );
    const http = `http { access_log off; ${temporary.join(' ')}\n${config}}`;
    const text = `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; events {}\n${http}\n`;
    return { text, args: ['-p', folder, '-c', join(folder, 'config')] };
  },
  haproxy: (folder, config) => ({ text: config, args: ['-db', '-f', join(folder, 'config')] }),
  apache2: (folder, config, port) => {
    const modules = ['mpm_event', 'authz_core', 'ssl', 'proxy', 'proxy_http', 'headers'].map(
      (one) => `LoadModule ${one}_module /usr/lib/apache2/modules/mod_${one}.so`,
    );
    const user = process.getuid?.() === 0 ? ['User nobody', 'Group nogroup'] : [];
    const lines = [...modules, ...user, `Listen 127.0.0.1:${port}`, `PidFile ${folder}/pid`, 'ServerName localhost'];
    const text = `${lines.join('\n')}\nMutex file:${folder}\nErrorLog ${folder}/error.log\n${config}`;
    return { text, args: ['-D', 'FOREGROUND', '-d', folder, '-f', join(folder, 'config')] };
  },
};

/** A proxy with a configuration of the documentation, which listens on another port and forwards to a test server. */
export class Proxy {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /**
   * @param config The configuration of the page. Its addresses, ports and files are replaced.
   * @param clientsCa The certificate authority of client certificates, as PEM.
   */
  static async start(program: Program, config: string, port: number, upstream: number, clientsCa = ''): Promise<Proxy> {
    const folder = mkdtempSync(join(tmpdir(), `nest-oauth2-${program}-`));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'tls.pem'), `${CERTIFICATE}\n${KEY}\n`);
    writeFileSync(join(folder, 'clients-ca.pem'), clientsCa);
    const replaced = config
      .replaceAll(/\/etc\/[\w/.-]*clients-ca\.pem/g, join(folder, 'clients-ca.pem'))
      .replaceAll(/\/etc\/[\w/.-]+\.(?:pem|key)/g, join(folder, 'tls.pem'))
      .replaceAll(/listen 443 ssl/g, `listen 127.0.0.1:${port} ssl`)
      .replaceAll(/(?<=bind |VirtualHost )(?:\*?:443)/g, `127.0.0.1:${port}`)
      .replaceAll(/(?:127\.0\.0\.1|10\.0\.0\.10):3000/g, `127.0.0.1:${upstream}`);
    const lines = replaced.includes('ssl_certificate ')
      ? replaced
      : replaced.replace('ssl;', `ssl; ssl_certificate ${folder}/tls.pem; ssl_certificate_key ${folder}/tls.pem;`);
    const { text, args } = RUN[program](folder, lines, port);
    writeFileSync(join(folder, 'config'), text);
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk) => (log += String(chunk)));
    const proxy = new Proxy(port, child, folder);
    await waitUntil(() => {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${log}`);
      return isListening(port);
    });
    return proxy;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.end());
  });

/** The address of the client, which differs from that of the proxy. */
export const CLIENT_ADDRESS = '127.0.0.2';

/** Headers that a client sends to pretend another address, scheme and certificate. */
export const FORGED = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'attacker.example',
  'ssl-client-cert': 'forged',
  'ssl-client-verify': 'SUCCESS',
};

/**
 * A network in which a host name leads to a proxy: an HTTP server that sends each request over TLS to the proxy, from
 * `CLIENT_ADDRESS` and with `FORGED` headers.
 */
export class Network {
  private constructor(private readonly server: Server) {}

  static async open(host: string, port: number, certificate?: IssuedCertificate): Promise<Network> {
    const forward = (request: IncomingMessage, response: ServerResponse) => {
      const headers = { ...request.headers, ...FORGED, host };
      const { method, url: path } = request;
      const tls = { rejectUnauthorized: false, agent: false, ...(certificate && { ...pemOf(certificate) }) };
      const options = { host: '127.0.0.1', port, method, path, headers, localAddress: CLIENT_ADDRESS, ...tls };
      const sent = httpsRequest(options, (received) => {
        response.writeHead(received.statusCode!, received.headers);
        received.pipe(response);
      });
      sent.on('error', (error) => response.destroy(error));
      request.pipe(sent);
    };
    const server = createServer(forward);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new Network(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const pemOf = ({ cert, key }: IssuedCertificate) => ({ cert, key });
