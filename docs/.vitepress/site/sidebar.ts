import type { DefaultTheme } from 'vitepress';

import { type Page, PARTS, type Part } from './pages.js';

const linkOf = ({ path }: Page) => `/${path.replace(/(?:^|(?<=\/))index\.md$|\.md$/, '')}`;

const of = (pages: readonly Page[], part: Part) => pages.filter((page) => page.part === part);

/** The links at the top of every page: the parts that contain pages. */
export function createNavigation(pages: readonly Page[]): DefaultTheme.NavItem[] {
  return (Object.keys(PARTS) as Part[])
    .filter((part) => part !== 'decisions' && of(pages, part).length > 0)
    .map((part) => ({ text: PARTS[part], link: linkOf(of(pages, part)[0]!), activeMatch: `^/${part}/` }));
}

/**
 * The sidebar of each part. Pages without `group` come first. The groups follow in the order of their first page.
 */
export function createSidebar(pages: readonly Page[]): DefaultTheme.SidebarMulti {
  const sidebar: DefaultTheme.SidebarMulti = {};
  for (const part of Object.keys(PARTS) as Part[]) {
    const groups = new Map<string, DefaultTheme.SidebarItem[]>();
    for (const page of of(pages, part)) {
      const items = groups.get(page.group) ?? [];
      groups.set(page.group, [...items, { text: page.title, link: linkOf(page) }]);
    }
    const plain = groups.get('') ?? [];
    groups.delete('');
    sidebar[`/${part}/`] = [
      { text: PARTS[part], items: plain },
      ...[...groups].map(([text, items]) => ({ text, items })),
    ].filter(({ items }) => items.length > 0);
  }
  return sidebar;
}
