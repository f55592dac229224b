import { existsSync } from 'node:fs';
import { posix } from 'node:path';

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
    const images = SCHEMES.map(
      (scheme) =>
        `<img class="${scheme}-only" src="/diagrams/${drawingOf(content, scheme)}" alt="${md.utils.escapeHtml(titleOf(content))}">`,
    );
    return `<div class="diagram" tabindex="0" role="group" aria-label="Diagram">${images.join('')}</div>`;
  };
}

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

/** Names the heading of each cell of a table, which a narrow page shows in front of the cell, and marks tables with many columns. */
export function describeCells(md: MarkdownRenderer): void {
  // The rule of VitePress writes no attributes.
  md.renderer.rules.table_open = (tokens, index, options, _env, self) => self.renderToken(tokens, index, options);
  md.core.ruler.push('cells', (state) => {
    let table: Token | undefined;
    let headings: string[] = [];
    let column = 0;
    for (const [index, token] of state.tokens.entries()) {
      if (token.type === 'table_open') [table, headings] = [token, []];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') headings.push(plainText(state.tokens[index + 1]!));
      if (token.type === 'thead_close') table!.attrSet('class', headings.length < DENSE ? 'table' : 'table dense');
      if (token.type === 'td_open') token.attrSet('data-heading', headings[column++] ?? '');
    }
  });
}

const plainText = ({ children }: Token) => children!.map(({ content }) => content).join('');

/**
 * Pictures in `docs/public` are at the root of the site. Pages refer to them by relative paths, which a code host needs. A
 * dark page shows the file `-dark` in place of the file `-light`.
 */
export function findPictures(md: MarkdownRenderer): void {
  md.core.ruler.push('pictures', (state) => {
    for (const token of state.tokens.filter(({ type }) => type === 'inline'))
      token.children = token.children!.flatMap((child) => {
        if (child.type !== 'image') return [child];
        const source = child.attrGet('src')!.replace(/^(?:\.\.\/)*public\//, '/');
        child.attrSet('src', source);
        if (!/-light\.\w+$/.test(source)) return [child];
        return SCHEMES.map((scheme) => {
          const picture = Object.assign(new state.Token('image', 'img', 0), child, {
            attrs: structuredClone(child.attrs),
          });
          picture.attrSet('src', source.replace(/-light(?=\.\w+$)/, `-${scheme}`));
          picture.attrJoin('class', `${scheme}-only`);
          return picture;
        });
      });
  });
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
