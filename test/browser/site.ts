import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '../..');
const docs = join(root, 'docs');

const axe = fileURLToPath(import.meta.resolve('axe-core'));

/** The folder of the built documentation site. */
export const DIST = join(docs, '.vitepress/dist');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Builds the site, unless it was built after the last change of a page or of the theme. */
export function buildSite(): void {
  const built = join(DIST, 'index.html');
  // A build changes the time of the folder `.vitepress` after it has written the pages.
  const changed = readdirSync(docs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => !/^\.vitepress[/\\](?:dist|cache)/.test(relative(docs, path)))
    .map((path) => statSync(path).mtimeMs);
  if (existsSync(built) && statSync(built).mtimeMs > Math.max(...changed)) return;
  const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
  execFileSync(process.execPath, [vitepress, 'build', 'docs'], { cwd: root, stdio: 'pipe', env: withoutBase() });
}

const withoutBase = () => ({ ...process.env, DOCS_BASE: undefined, NODE_ENV: undefined });

/** The path at which the site of the tests has axe, which Chromium compiles once for all pages. */
export const AXE = '/assets/axe.js';

/** Serves the built site as a static host does. */
export async function serveSite(): Promise<{ url: string; close(): void }> {
  const server = createServer(({ url }, response) => {
    const path = normalize(decodeURIComponent(new URL(url!, 'http://site.example').pathname));
    const file = path === AXE ? axe : join(DIST, path.endsWith('/') ? `${path}index.html` : path);
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile();
    response.writeHead(isFile ? 200 : 404, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      // Files that all pages load are then compiled once and not for each page.
      ...(/^\/(?:assets|diagrams)\//.test(path) && { 'cache-control': 'max-age=3600' }),
    });
    response.end(isFile ? readFileSync(file) : 'Not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the text of the search index in the built site. */
export async function readBuiltIndex(): Promise<string> {
  const chunks = join(DIST, 'assets/chunks');
  const [name, ...others] = readdirSync(chunks).filter((file) => /localSearchIndexroot.*\.js$/.test(file));
  if (!name || others.length > 0) throw new Error('The site must have one search index.');
  const { default: index } = (await import(join(chunks, name))) as { default: string };
  return index;
}
