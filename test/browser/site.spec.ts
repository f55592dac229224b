import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import MiniSearch from 'minisearch';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { type Page as SitePage, readPages } from '../../docs/.vitepress/site/pages.js';
import { createIndex, INDEX_OPTIONS, SEARCH_OPTIONS } from '../../docs/.vitepress/site/search.js';
import { describeInBrowser, inaccessible, keepScreenshot, openBrowser, type OpenedPage, openPage } from './browser.js';
import { findLowContrast, type TestedStyles } from './contrast.js';
import { AXE, buildSite, readBuiltIndex, serveSite } from './site.js';

const pages = readPages();
const addressOf = (path: string) => `/${path.replace(/(?:^|(?<=\/))index\.md$/, '').replace(/\.md$/, '.html')}`;

const DESKTOP = { width: 1280, height: 800 };
const WIDE = { width: 1920, height: 1080 };
const PHONE = { width: 390, height: 844 };

/** Number of tabs that visit the pages. A page waits for the disk and for timers while another one uses the processor. */
const TABS = 3;

/** One page of each layout: home, tutorial with tabs, page with wide tables, page with a diagram, list. */
const LAYOUTS = [
  'index.md',
  'start/first-server.md',
  'reference/hosts.md',
  'explanation/architecture.md',
  'decisions/README.md',
];

/**
 * Rules that the theme of VitePress breaks: the name of the search button lacks the keyboard shortcut that the button
 * shows.
 */
const OF_VITEPRESS = ['label-content-name-mismatch'];

/**
 * Rules whose result depends on the style sheet, which all pages share. They take half of the time of axe. The test of
 * one page of each layout has them all, and `findLowContrast()` tests the contrast of each style.
 */
const OF_STYLES = ['color-contrast', 'link-in-text-block', 'target-size'];

const terms = Object.keys(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/search-terms.json'), 'utf8')) as object,
);

describeInBrowser('the documentation site', () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;

  beforeAll(async () => {
    buildSite();
    [browser, site] = await Promise.all([openBrowser(), serveSite()]);
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    site?.close();
  });

  /** The anchors of each visited page, and the links from it. Filled by the walk with a wide window. */
  const anchors = new Map<string, Set<string>>();
  const links: { from: string; path: string; anchor: string }[] = [];

  const open = async (options: BrowserContextOptions): Promise<OpenedPage> => {
    const opened = await openPage(browser, options);
    // VitePress then loads no pages in advance.
    await opened.page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
    opened.page.on('response', (response) => {
      if (response.status() >= 400) opened.complaints.push(`${response.status()} ${response.url()}`);
    });
    opened.page.on('requestfailed', (request) => {
      // Leaving a page cancels its requests.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') opened.complaints.push(`failed: ${request.url()}`);
    });
    return opened;
  };

  /** Opens a page and returns its problems. */
  const visit = async ({ page }: OpenedPage, { path }: SitePage): Promise<string[]> => {
    await page.goto(site.url + addressOf(path), { waitUntil: 'domcontentloaded' });
    await page.locator('.VPContent h1').first().waitFor({ state: 'attached' });
    return findHidden(page, 'its window');
  };

  /** Returns what a window does not show, or not so that it can be read. */
  const findHidden = async (page: Page, window: string): Promise<string[]> => {
    const found = await page.evaluate<string[][]>(`[${Object.values(HIDDEN).join(', ')}]`);
    return Object.keys(HIDDEN).flatMap((name, at) => found[at]!.map((text) => `${name} in ${window}: ${text}`));
  };

  /** Switches to the dark color scheme and waits until the page has changed. */
  const darken = async (page: Page): Promise<void> => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction("document.documentElement.classList.contains('dark')");
  };

  /** Visits pages of a queue that several tabs share, and returns their problems. */
  const walk = async (queue: Iterable<SitePage>, tested: TestedStyles): Promise<string[]> => {
    // Without animations, the colors are final at once.
    const opened = await open({ viewport: DESKTOP, colorScheme: 'light', reducedMotion: 'reduce' });
    const { page, complaints } = opened;
    const problems: string[] = [];
    for (const each of queue) {
      const found = await visit(opened, each);
      const { ids, hrefs } = await page.evaluate<{ ids: string[]; hrefs: string[] }>(READ_LINKS);
      anchors.set(addressOf(each.path), new Set(ids));
      for (const href of hrefs) {
        const { origin, pathname, hash } = new URL(href);
        if (origin === site.url)
          links.push({ from: each.path, path: pathname, anchor: decodeURIComponent(hash.slice(1)) });
      }
      await page.addScriptTag({ url: AXE });
      found.push(...(await inaccessible(page, [...OF_STYLES, ...OF_VITEPRESS])));
      found.push(...(await findLowContrast(page, tested)));
      await page.setViewportSize(PHONE);
      found.push(...(await findHidden(page, 'a phone')));
      await page.setViewportSize(DESKTOP);
      await darken(page);
      found.push(...(await findLowContrast(page, tested)).map((problem) => `dark: ${problem}`));
      await page.emulateMedia({ colorScheme: 'light' });
      problems.push(...[...found, ...complaints.splice(0)].map((problem) => `${each.path}: ${problem}`));
    }
    await page.context().close();
    return problems;
  };

  it('shows each page without a failed request, an error, horizontal scrolling, a hidden part or an accessibility problem', async () => {
    const queue = pages.values();
    const tested: TestedStyles = new Set();
    const problems = await Promise.all(Array.from({ length: TABS }, () => walk(queue, tested)));
    expect(problems.flat()).toEqual([]);
  }, 1_800_000);

  it('has no broken link and no link to a missing anchor', async () => {
    expect(links.length).toBeGreaterThan(1000);
    // `npm run docs:build` adds the API reference, which TypeDoc writes.
    const files = [...new Set(links.map(({ path }) => path))].filter(
      (path) => !anchors.has(path) && !path.startsWith('/api/'),
    );
    const missing = new Set<string>();
    for (const path of files) if ((await fetch(site.url + path)).status !== 200) missing.add(path);
    const broken = links
      .filter(({ path, anchor }) => missing.has(path) || (anchor && anchors.get(path)?.has(anchor) === false))
      .map(({ from, path, anchor }) => `${from}: ${path}#${anchor}`);
    expect([...new Set(broken)]).toEqual([]);
  });

  it.each([
    { place: 'desktop-light', viewport: DESKTOP, colorScheme: 'light' },
    { place: 'desktop-dark', viewport: DESKTOP, colorScheme: 'dark' },
    { place: 'wide-light', viewport: WIDE, colorScheme: 'light' },
    { place: 'wide-dark', viewport: WIDE, colorScheme: 'dark' },
    { place: 'phone-light', viewport: PHONE, colorScheme: 'light' },
    { place: 'phone-dark', viewport: PHONE, colorScheme: 'dark' },
  ] as const)(
    'shows one page of each layout without accessibility problems: $place',
    async ({ place, ...options }) => {
      const opened = await open(options);
      const problems: string[] = [];
      for (const path of LAYOUTS) {
        const found = await visit(
          opened,
          pages.find((page) => page.path === path)!,
        );
        await keepScreenshot(opened.page, `site-${place}-${path.replaceAll(/\W+/g, '-')}`, { fullPage: true });
        found.push(...(await inaccessible(opened.page, OF_VITEPRESS)), ...opened.complaints.splice(0));
        problems.push(...found.map((problem) => `${path}: ${problem}`));
      }
      await opened.page.context().close();
      expect(problems).toEqual([]);
    },
    300_000,
  );

  it.each([
    { place: 'desktop', viewport: DESKTOP },
    { place: 'phone', viewport: PHONE },
  ])(
    'finds a page by its search on a $place',
    async ({ place, viewport }) => {
      const { page, complaints } = await open({ viewport });
      await page.goto(site.url);
      await page.locator('#local-search button').click();
      const input = page.locator('#localsearch-input');
      await input.fill('e2e test token');
      const results = page.locator('#localsearch-list a');
      await results.first().waitFor();
      const shown = await page.evaluate<string[]>(
        `[...document.querySelectorAll('#localsearch-list a')].map(({ pathname }) => pathname)`,
      );
      expect(shown.slice(0, 3)).toContain('/guides/testing.html');
      await keepScreenshot(page, `site-search-${place}`);
      await input.press('Enter');
      await page.waitForURL(`**${shown[0]!}**`);
      await page.locator('.VPContent h1').first().waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    },
    180_000,
  );

  it.each(['light', 'dark'] as const)(
    'shows the picture of its color scheme on the home page: %s',
    async (colorScheme) => {
      const { page } = await open({ viewport: DESKTOP, colorScheme });
      await page.goto(site.url);
      const shown = page.locator('main img[src*="sign-in"]:visible, [role=main] img[src*="sign-in"]:visible');
      await expect(shown.count()).resolves.toBe(1);
      await expect(shown.getAttribute('src')).resolves.toBe(`/sign-in-${colorScheme}.png`);
    },
  );

  it('contains the search index that test/search-terms.spec.ts tests', async () => {
    const [built, tested] = [await readBuiltIndex(), createIndex('/')].map((json) =>
      MiniSearch.loadJSON<{ id: string }>(json, INDEX_OPTIONS),
    );
    const find = (index: MiniSearch<{ id: string }>, term: string) =>
      index
        .search(term, SEARCH_OPTIONS)
        .slice(0, 3)
        .map(({ id }) => id as string)
        .join(' ');
    expect(terms.filter((term) => find(built!, term) !== find(tested!, term))).toEqual([]);
  });
});

/** Returns the elements that make a page scroll sideways. Code blocks and diagrams may scroll themselves. */
const TOO_WIDE = `(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return true;
    return false;
  };
  const wide = [...document.querySelectorAll('.VPContent *')].filter(
    (element) => element.getBoundingClientRect().right > width + 1 && !scrolls(element),
  );
  if (document.documentElement.scrollWidth > width) wide.push(document.documentElement);
  return wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 200));
})()`;

/** Returns the beginnings of the tables of which a column is outside of the text. */
const HIDDEN_COLUMNS = `[...document.querySelectorAll('.vp-doc table')]
  .filter((table) => table.scrollWidth > table.clientWidth + 1 ||
    table.getBoundingClientRect().right > table.parentElement.getBoundingClientRect().right + 1)
  .map(({ innerText }) => innerText.slice(0, 80))`;

/** Returns the cells of narrow columns in which a line ends inside a short word. */
const BROKEN_WORDS = `(() => {
  const range = document.createRange();
  const isBroken = (cell) => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { index, 0: word } of texts.currentNode.data.matchAll(/\\b[a-z]{2,10}\\b/gi)) {
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (range.getClientRects().length > 1) return true;
      }
    }
    return false;
  };
  return [...document.querySelectorAll('.vp-doc :is(th, td)')]
    .filter((cell) => cell.clientWidth < 120 && isBroken(cell))
    .map(({ innerText }) => innerText.slice(0, 80));
})()`;

/** Returns the commands, messages and requests of which an end is outside of their block. */
const CUT_COMMANDS = `[...document.querySelectorAll('.vp-doc :is(.language-sh, .language-text, .language-http) pre')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
  .map(({ innerText }) => innerText.slice(0, 80))`;

/** Returns the pictures that are so small that their texts cannot be read. */
const SMALL_PICTURES = `[...document.querySelectorAll('.vp-doc img')]
  .filter((image) => image.checkVisibility() && image.complete && image.width < image.naturalWidth * 0.69)
  .map(({ src }) => src)`;

/** Returns the links of the sidebar and the outline that are cut, and the one of the page if it is outside of the window. */
const CUT_LINKS = `[
  ...[...document.querySelectorAll('.outline-link')].filter((link) => link.scrollWidth > link.clientWidth + 1),
  ...[...document.querySelectorAll('.VPSidebarItem.is-link.is-active')].filter(
    (link) => link.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && link.getBoundingClientRect().bottom > innerHeight,
  ),
].map(({ innerText }) => innerText)`;

/** The problems of a window, with the expressions that find them. */
const HIDDEN = {
  'cut or scrolling element': TOO_WIDE,
  'hidden column': HIDDEN_COLUMNS,
  'broken word': BROKEN_WORDS,
  'cut command': CUT_COMMANDS,
  'small picture': SMALL_PICTURES,
  'cut link': CUT_LINKS,
};

const READ_LINKS = `({
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  hrefs: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
})`;
