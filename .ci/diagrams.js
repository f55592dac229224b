// Draws the `mermaid` blocks of the documentation with Chromium, for light and for dark pages, into docs/public/diagrams.
// The name of a file contains a digest of the block, so that a test notices a diagram that is not drawn again.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

import { diagramsOf, drawingOf } from '../docs/.vitepress/site/diagrams.js';

const root = join(import.meta.dirname, '..');
const docs = join(root, 'docs');
const folder = join(docs, 'public/diagrams');
const THEMES = { light: 'neutral', dark: 'dark' };

const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.md') && !path.startsWith('.'),
);
const diagrams = pages.flatMap((path) => diagramsOf(readFileSync(join(docs, path), 'utf8')));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage();
await page.addScriptTag({ path: join(root, 'node_modules/mermaid/dist/mermaid.min.js') });
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const source of diagrams) {
  for (const [scheme, theme] of Object.entries(THEMES)) {
    const svg = await page.evaluate(draw, { source, theme, id: `diagram-${scheme}` });
    writeFileSync(join(folder, drawingOf(source, scheme)), `${svg}\n`);
  }
}
await browser.close();
console.log(`Drew ${diagrams.length} diagrams.`);

/** Runs in the browser. Labels are text of SVG, which keeps its place with the fonts of another computer. */
async function draw({ source, theme, id }) {
  const { mermaid } = globalThis;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme,
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    sequence: { useMaxWidth: false, wrap: true, width: 160, actorMargin: 90, messageFontSize: 15, actorFontSize: 15 },
    fontFamily: 'system-ui, sans-serif',
    ...(theme === 'dark' && { themeVariables: { edgeLabelBackground: '#1b1b1f' } }),
  });
  return (await mermaid.render(id, source)).svg;
}
