import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Message {
  id?: number | string;
  method?: string;
  result?: { contents?: { value: string } } | null;
}

const root = join(import.meta.dirname, '../../..');

/**
 * Returns the hover text of the member on each line of a TypeScript page, as an editor shows it. The page need not
 * exist as a file.
 */
export async function hoverMembers(page: string): Promise<{ name: string; shown: string }[]> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const server = spawn(process.execPath, [compiler, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const pending = new Map<unknown, (message: Message) => void>();
  const write = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const sendRequest = (id: number, method: string, params: object) =>
    new Promise<Message>((resolve) => {
      pending.set(id, resolve);
      write({ id, method, params });
    });
  let read = Buffer.alloc(0);
  server.stdout.on('data', (data: Buffer) => {
    read = Buffer.concat([read, data]);
    for (;;) {
      const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(read.toString('latin1')) ?? [];
      if (head === undefined || read.length < head.length + Number(length)) return;
      const message = JSON.parse(read.toString('utf8', head.length, head.length + Number(length))) as Message;
      read = read.subarray(head.length + Number(length));
      // Requests of the server to an editor get an empty result.
      if (message.method !== undefined && message.id !== undefined) write({ id: message.id, result: null });
      else pending.get(message.id)?.(message);
    }
  });
  const uri = pathToFileURL(join(root, 'test/support/page-of-an-editor.ts')).href;
  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } };
  await sendRequest(0, 'initialize', { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities });
  write({ method: 'initialized', params: {} });
  const textDocument = { uri, languageId: 'typescript', version: 1, text: page };
  write({ method: 'textDocument/didOpen', params: { textDocument } });
  const members = page.split('\n').map((text, line) => ({ line, name: /^ {2}(\w+):/.exec(text)?.[1] }));
  const shown = await Promise.all(
    members.map(async ({ line, name }) => {
      if (name === undefined) return [];
      const { result } = await sendRequest(line + 1, 'textDocument/hover', {
        textDocument: { uri },
        position: { line, character: 2 },
      });
      return [{ name, shown: result?.contents?.value ?? '' }];
    }),
  );
  server.stdin.end();
  await once(server, 'close');
  return shown.flat();
}
