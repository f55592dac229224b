import { expect } from '@jest/globals';

/** The target URL and the fields of a `form_post` page. */
export interface PostedForm {
  action: string;
  fields: Record<string, string>;
}

/** Parses a `form_post` page, as a browser does. */
export function postedForm(page: unknown): PostedForm {
  expect(page).toEqual(expect.stringContaining('<form method="post" action="'));
  const [, action] = /<form method="post" action="([^"]*)">/.exec(page as string)!;
  const inputs = (page as string).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields = Object.fromEntries([...inputs].map(([, name, value]) => [text(name!), text(value!)]));
  return { action: text(action!), fields };
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const text = (source: string) => source.replaceAll(/&([^;]+);/g, (_, name: string) => ENTITIES[name]!);
