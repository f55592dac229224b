import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import type { MarkdownRenderer } from 'vitepress';

import { drawingOf, titleOf } from './diagrams.js';
import { commandsOf, MANAGERS } from './package-managers.js';
import { DOCS } from './pages.js';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

const SCHEMES = ['light', 'dark'] as const;

/**
 * Shows the drawings of `mermaid` code blocks, which `npm run docs:diagrams` writes.
 */
export function showDiagrams(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence!;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info, content } = tokens[index]!;
    if (info.trim() !== 'mermaid') return fence(tokens, index, options, env, self);
    const title = md.utils.escapeHtml(titleOf(content));
    const images = SCHEMES.map((scheme) => {
      const source = `/diagrams/${drawingOf(content, scheme)}`;
      return `<img class="${scheme}-only" src="${source}" alt="${title}" style="${readableWidth(`public${source}`)}">`;
    });
    return `${frameOf('div', 'Diagram')}${images.join('')}</div>`;
  };
}

/** The smallest part of its width to which a picture shrinks. Its texts of 15 pixels then have 10.5 pixels. */
const SMALLEST = 0.7;

/** Returns the style that keeps the texts of a picture in `docs/` readable. The picture scrolls in a narrower frame. */
function readableWidth(path: string): string {
  const file = readFileSync(join(DOCS, path));
  const width = path.endsWith('.png') ? file.readUInt32BE(16) : /<svg[^>]* width="([\d.]+)"/.exec(file.toString())?.[1];
  return `min-width: ${Math.floor(Number(width) * SMALLEST)}px`;
}

/** The start of the element in which pictures scroll. */
const frameOf = (tag: 'div' | 'span', label: string) =>
  `<${tag} class="picture" tabindex="0" role="group" aria-label="${label}">`;

/** Shows an `sh` block of npm commands with one tab for each package manager. */
export function addPackageManagers(md: MarkdownRenderer): void {
  md.core.ruler.after('block', 'package-managers', (state) => {
    let depth = 0;
    state.tokens = state.tokens.flatMap((token) => {
      if (token.type === 'container_code-group_open') depth++;
      if (token.type === 'container_code-group_close') depth--;
      const commands = token.type === 'fence' && token.info.trim() === 'sh' && depth === 0 && commandsOf(token.content);
      if (!commands) return [token];
      const group = (type: string, nesting: Token['nesting']) =>
        Object.assign(new state.Token(`container_code-group_${type}`, 'div', nesting), {
          block: true,
          markup: ':::',
          info: ' code-group',
          map: token.map,
        });
      const blocks = MANAGERS.map((manager, index) =>
        Object.assign(new state.Token('fence', 'code', 0), {
          block: true,
          markup: token.markup,
          info: `sh [${manager}]`,
          map: token.map,
          content: commands[index],
        }),
      );
      return [group('open', 1), ...blocks, group('close', -1)];
    });
  });
}

/** Tables with this number of columns have small text. */
const DENSE = 5;

/** The first column has numbers or sections if no cell is longer. */
const SHORT = 8;

/** Where a name in a cell may break: between the words of an identifier, and after punctuation of paths and calls. */
const BREAKS = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\w[/_.:=?&(,])/u;

/**
 * Names the heading of each cell of a table, which a narrow page shows in front of the cell, lets long names break between
 * their words, and marks tables with many columns.
 */
export function describeCells(md: MarkdownRenderer): void {
  // The rule of VitePress writes no attributes.
  md.renderer.rules.table_open = (tokens, index, options, _env, self) => self.renderToken(tokens, index, options);
  md.core.ruler.push('cells', (state) => {
    let table: Token | undefined;
    let headings: string[] = [];
    let column = 0;
    let longestName = 0;
    for (const [index, token] of state.tokens.entries()) {
      if (token.type === 'table_open') [table, headings, longestName] = [token, [], 0];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') headings.push(plainText(state.tokens[index + 1]!));
      if (token.type === 'td_open') {
        if (column === 0) longestName = Math.max(longestName, plainText(state.tokens[index + 1]!).length);
        token.attrSet('data-heading', headings[column++] ?? '');
      }
      if (token.type === 'inline' && table) token.children!.forEach((child) => breakName(child, md.utils.escapeHtml));
      if (token.type === 'table_close') {
        table!.attrSet('class', headings.length < DENSE ? 'table' : 'table dense');
        if (longestName <= SHORT) table!.attrJoin('class', 'numbered');
        table = undefined;
      }
    }
  });
}

/** Adds places for line breaks to the code of a cell. */
function breakName(token: Token, escapeHtml: (text: string) => string): void {
  if (token.type !== 'code_inline') return;
  const parts = token.content.split(BREAKS).map(escapeHtml);
  Object.assign(token, { type: 'html_inline', content: `<code v-pre>${parts.join('<wbr>')}</code>` });
}

const plainText = ({ children }: Token) => children!.map(({ content }) => content).join('');

/**
 * Shows pictures in frames. Pictures in `docs/public` are at the root of the site. Pages refer to them by relative paths,
 * which a code host needs. A dark page shows the file `-dark` in place of the file `-light`.
 */
export function findPictures(md: MarkdownRenderer): void {
  md.core.ruler.push('pictures', (state) => {
    const { relativePath = '' } = state.env as { relativePath?: string };
    const html = (content: string) => Object.assign(new state.Token('html_inline', '', 0), { content });
    for (const token of state.tokens.filter(({ type }) => type === 'inline'))
      token.children = token.children!.flatMap((child) => {
        if (child.type !== 'image') return [child];
        const source = child.attrGet('src')!;
        child.attrSet('style', readableWidth(posix.join(relativePath, '..', source)));
        child.attrSet('src', source.replace(/^(?:\.\.\/)*public\//, '/'));
        const pictures = /-light\.\w+$/.test(source) ? SCHEMES.map((scheme) => pictureFor(child, scheme)) : [child];
        return [html(frameOf('span', 'Picture'))].concat(pictures, html('</span>'));
      });
  });
}

/** Returns a copy of an image for a color scheme. */
function pictureFor(image: Token, scheme: (typeof SCHEMES)[number]): Token {
  const picture = Object.assign(Object.create(Object.getPrototypeOf(image) as object) as Token, image);
  picture.attrs = structuredClone(image.attrs);
  picture.attrSet('src', image.attrGet('src')!.replace(/-light(?=\.\w+$)/, `-${scheme}`));
  picture.attrJoin('class', `${scheme}-only`);
  return picture;
}

/**
 * Links to files that the site does not contain point to the repository. If its address is unknown, the text stays without
 * a link.
 */
export function linkToRepository(md: MarkdownRenderer, repository: string | undefined): void {
  md.core.ruler.push('repository-links', (state) => {
    const { relativePath = '' } = state.env as { relativePath?: string };
    for (const { children } of state.tokens.filter(({ type }) => type === 'inline')) {
      for (const [index, token] of children!.entries()) {
        const target = token.type === 'link_open' ? fileOf(relativePath, token.attrGet('href')!) : undefined;
        if (target === undefined) continue;
        // VitePress would take the address of a file for one of a page, if the link had no target.
        if (isInSite(target)) token.attrSet('target', '_self');
        else if (repository) token.attrSet('href', `${repository}/blob/main/${target}`);
        else for (const part of [token, closing(children!, index)]) part.hidden = true;
      }
    }
  });
  const { link_open: open } = md.renderer.rules;
  md.renderer.rules.link_open = (tokens, index, options, env, self) =>
    tokens[index]!.hidden ? '' : open!(tokens, index, options, env, self);
  md.renderer.rules.link_close = (tokens, index, options, _env, self) =>
    tokens[index]!.hidden ? '' : self.renderToken(tokens, index, options);
}

/** The `link_close` of a `link_open`. Links are never nested. */
const closing = (tokens: Token[], index: number) =>
  tokens.find((token, at) => at > index && token.type === 'link_close')!;

/** Returns the path of a link target in the repository if it is not a page of the site. */
function fileOf(page: string, href: string): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return undefined;
  const [path] = href.split('#', 1);
  const target = posix.join('docs', page, '..', decodeURI(path!));
  return isInSite(target) && target.endsWith('.md') ? undefined : target;
}

const isInSite = (target: string) => target.startsWith('docs/') && existsSync(`${DOCS}../${target}`);
