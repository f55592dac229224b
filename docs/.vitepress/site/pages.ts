import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { anchorsOf } from './anchor.js';

/** The folder of the pages. */
export const DOCS = fileURLToPath(new URL('../../', import.meta.url));

/** The parts of the documentation: folder and title, in the order of the navigation. */
export const PARTS = {
  start: 'Start',
  guides: 'Guides',
  reference: 'Reference',
  explanation: 'Explanation',
  decisions: 'Decisions',
} as const;

export type Part = keyof typeof PARTS;

/** A heading with the text below it, up to the next heading. */
export interface Section {
  anchor: string;
  /** The headings above this one, and this one. */
  titles: string[];
  /** The text without Markdown syntax. Contains the code blocks. */
  text: string;
}

/** A page of the documentation. */
export interface Page {
  /** The path in `docs/`, such as `guides/testing.md`. */
  path: string;
  /** If omitted, the page is not in one of the four parts. */
  part?: Part;
  /** The `title` of the frontmatter. If omitted, the first heading. */
  title: string;
  description: string;
  /** The heading of the sidebar under which the page is listed. */
  group: string;
  /** Position in the sidebar. */
  order: number;
  /** Further words that find the page. */
  keywords: string[];
  /** The Markdown below the frontmatter. */
  body: string;
  sections: Section[];
}

const FIELDS = ['title', 'description', 'group', 'order', 'keywords', 'layout'];

/** The position of a page without `order`: after all others. */
const LAST = 1000;

/** Reads all pages in the order of the navigation. */
export function readPages(): Page[] {
  const paths = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !path.startsWith('.'));
  const parts = Object.keys(PARTS);
  const rank = ({ part }: Page) => (part ? parts.indexOf(part) : -1);
  return paths
    .map((path) => parsePage(path, readFileSync(`${DOCS}${path}`, 'utf8')))
    .toSorted((a, b) => rank(a) - rank(b) || a.order - b.order || a.path.localeCompare(b.path));
}

/** Parses a page. @throws {Error} If the frontmatter is not a list of known fields, one in each line. */
export function parsePage(path: string, source: string): Page {
  const [, head = '', body = source] = /^---\n(.*?)^---\n(.*)$/ms.exec(source) ?? [];
  const fields = new Map<string, string>();
  for (const line of head.split('\n').filter(Boolean)) {
    const [, name, value] = /^(\w+): (.+)$/.exec(line) ?? [];
    if (!name || !FIELDS.includes(name))
      throw new Error(`docs/${path}: \`${line}\` is no field. Write one of ${FIELDS.join(', ')}: and a value.`);
    fields.set(name, value!.replace(/^(['"])(.*)\1$/, '$2'));
  }
  const [folder] = path.split('/', 1);
  const sections = sectionsOf(body);
  return {
    path,
    ...(Object.hasOwn(PARTS, folder!) && path.includes('/') && { part: folder as Part }),
    title: fields.get('title') ?? sections[0]?.titles[0] ?? path,
    description: fields.get('description') ?? '',
    group: fields.get('group') ?? '',
    order: Number(fields.get('order') ?? LAST),
    keywords: (fields.get('keywords') ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
    body,
    sections,
  };
}

/**
 * Returns the description of a page for search engines. If it has none, the first sentence after its heading, without
 * the label `Context.` of decisions.
 */
export const descriptionOf = ({ description, sections }: Page): string | undefined =>
  description || /^(?:Context\. )?(.*?[.?])(?= |$)/.exec(sections[0]?.text ?? '')?.[1];

/** Splits Markdown at its headings. */
function sectionsOf(body: string): Section[] {
  const found: { level: number; heading: string; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of body.split('\n')) {
    const [, marker] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (marker && (fence === undefined || line.trim() === fence)) fence = fence === undefined ? marker : undefined;
    const [, hashes, heading] = (fence === undefined && /^(#{1,6}) (.*)$/.exec(line)) || [];
    if (hashes) found.push({ level: hashes.length, heading: heading!, lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  const anchors = anchorsOf(found.map(({ heading }) => heading));
  const above: string[] = [];
  return found.map(({ level, heading, lines }, index) => {
    above.length = level - 1;
    above[level - 1] = plain(heading);
    return { anchor: anchors[index]!, titles: above.filter(Boolean), text: plain(lines.join('\n')) };
  });
}

/** Removes the Markdown syntax that is no text: link targets, comments, fences, table borders, emphasis. */
const plain = (markdown: string) =>
  markdown
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(?:`{3,}|~{3,}|:::).*$/gm, '')
    .replaceAll(/[`*|]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
