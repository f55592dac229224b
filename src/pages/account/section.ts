import type { Awaitable } from '../../../lib/index.js';
import { collectedCapability } from '../../../lib/internal.js';
import type { PageContext } from '../render/contexts.js';
import type { Fields } from '../render/contexts.js';
import type { Html } from '../render/html.js';
import type { ENGLISH, MessageSet } from '../render/messages.js';
import type { PageAnswer, PageProblem } from '../toolkit/answers.js';
import type { PageCall } from '../toolkit/page-call.js';

type MessageKey<Key extends string> = NoInfer<Key> | keyof typeof ENGLISH;

/** The context in which a section of the account page is rendered. */
export interface SectionContext<Key extends string = string> extends PageContext<Key> {
  /**
   * Renders a form of the section with its hidden fields.
   * @param name the name of the form in `forms`
   * @param content the inputs and the button
   * @param fields further hidden fields
   */
  form: (name: string, content: Html, fields?: Fields) => Html;
}

/** A form of a section. */
export interface SectionForm<Key extends string = string> {
  /** The message that is shown once the form has been handled. If omitted, none. */
  done?: Key;
  /**
   * Handles the form, whose CSRF token is valid for the section and the user. Returns nothing to show the page again,
   * HTML to show above the section once (such as a new secret), a problem, or an answer.
   */
  post(call: PageCall<Key>): Awaitable<Html | PageProblem | PageAnswer | undefined | void>;
}

/** A section of the account page, for `defineSection()`. */
export interface SectionDefinition<Data extends object, Key extends string = never> {
  /** Identifies the section, such as `passkeys`: a word. */
  id: string;
  /** Sections with a smaller number come first. Sessions have 60, applications 70. Default: `50`. */
  order?: number;
  /** The texts of the section, in addition to those of the ready-made pages. */
  messages?: MessageSet<Key>;
  /** The message that is the heading of the section. */
  title: MessageKey<Key>;
  /**
   * Maximum number of seconds since the login. A user whose login is older sees a link to sign in again in place of the
   * section, and cannot send its forms. If omitted, a login of any age is sufficient.
   */
  maxAge?: number;
  /** The path of a JavaScript module on this server that the page loads with the section, or a function that returns it. */
  script?: string | ((call: PageCall<MessageKey<Key>>) => string);
  /** Returns the data to show. `undefined`: the section is not shown to this user. */
  get(call: PageCall<MessageKey<Key>>): Awaitable<Data | undefined>;
  /** Renders the content below the heading. It must work without scripts. */
  render(data: Data, context: SectionContext<MessageKey<Key>>): Html;
  /** The forms of the section, by name. */
  forms?: Readonly<Record<string, SectionForm<MessageKey<Key>>>>;
}

/** A section of the account page, which a feature contributes under `ACCOUNT_SECTIONS`. */
export type AccountSection = SectionDefinition<object, string>;

/** Defines a section of the account page of `pages()`. */
export const defineSection = <Data extends object, Key extends string = never>(
  definition: SectionDefinition<Data, Key>,
): AccountSection => definition;

/** The capability key under which features contribute sections to the account page. */
export const ACCOUNT_SECTIONS = collectedCapability<AccountSection>('account sections');

/** Returns the sections in their order, independent of the order of the features. */
export const orderSections = (sections: readonly AccountSection[]): readonly AccountSection[] =>
  sections.toSorted((a, b) => (a.order ?? 50) - (b.order ?? 50) || (a.id < b.id ? -1 : 1));

/** Returns the configuration errors of the sections. */
export function findSectionErrors(sections: readonly AccountSection[]): readonly string[] {
  const ids = sections.map(({ id }) => id);
  const invalid = ids.find((id) => !/^\w+$/.test(id));
  const duplicate = ids.find((id, at) => ids.indexOf(id) !== at);
  return [
    ...(invalid === undefined ? [] : [`the \`id\` of the account section \`${invalid}\` must be a word`]),
    ...(duplicate === undefined ? [] : [`two features contribute the account section \`${duplicate}\``]),
  ];
}
