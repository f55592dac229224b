/** A form of an HTML page. */
export interface PageForm {
  /** The URL that the form is sent to. Empty for the page itself. */
  action: string;
  method: string;
  /** The values of its hidden fields and other inputs. */
  fields: Readonly<Record<string, string>>;
  /** The names of its hidden fields, in which pages keep CSRF tokens. */
  hidden: readonly string[];
  /** The buttons that send a value. */
  buttons: readonly { name: string; value: string }[];
  /** The name of its password field. `undefined` if the form has no password field. */
  password: string | undefined;
  /** The name of its first text field. */
  text: string | undefined;
}

/** Returns the forms of an HTML page. */
export const readForms = (html: string): PageForm[] =>
  [...html.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/gi)].map(([, tag, content]) => readForm(tag!, content!));

/** Returns the form of a page that has a field of this name. */
export const formWith = (html: string, field: string): PageForm | undefined =>
  readForms(html).find(({ fields }) => field in fields);

/** Returns the form of a page that has a password field. */
export const passwordForm = (html: string): (PageForm & { password: string }) | undefined =>
  readForms(html).find((form): form is PageForm & { password: string } => form.password !== undefined);

/** Whether a form lets the user decide on access. */
export const isConsent = ({ buttons }: PageForm): boolean => buttons.some(({ name }) => name === 'decision');

function readForm(tag: string, content: string): PageForm {
  const { action = '', method = 'get' } = attributesOf(tag);
  const inputs = [...content.matchAll(/<input\b([^>]*)>/gi)].map(([, input]) => attributesOf(input!));
  const buttons = [...content.matchAll(/<button\b([^>]*)>/gi)].map(([, button]) => attributesOf(button!));
  const named = inputs.filter((input) => input['name'] && input['type'] !== 'checkbox' && input['type'] !== 'submit');
  return {
    action,
    method: method.toUpperCase(),
    // Of several radio buttons, the first one counts.
    fields: Object.fromEntries(named.toReversed().map(({ name, value = '' }) => [name!, value])),
    hidden: named.filter(({ type }) => type === 'hidden').map(({ name }) => name!),
    buttons: [...buttons, ...inputs.filter(({ type }) => type === 'submit')]
      .filter(({ name }) => name)
      .map(({ name, value = '' }) => ({ name: name!, value })),
    password: named.find(({ type }) => type === 'password')?.['name'],
    text: named.find(({ type = 'text' }) => type === 'text' || type === 'email')?.['name'],
  };
}

const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)].map(([, name, ...values]) => [
      name!.toLowerCase(),
      unescapeHtml(values.find((value) => value !== undefined) ?? ''),
    ]),
  );

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', '#39': "'", '#x27': "'" };

const unescapeHtml = (text: string) =>
  text.replaceAll(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
