import { type Client, InvalidArgumentError, type User } from '../../../lib/index.js';
import type { PageContext } from './contexts.js';
import { fill } from './html.js';
import { chooseLanguage, durationText, type PageReader } from './language.js';
import { ENGLISH, type Language, type MessageSet, type Scopes, scopeDescription } from './messages.js';

/** The languages and texts of the pages. */
export interface LanguageOptions {
  /** Languages in addition to English, by language tag. `en` changes the English texts. */
  languages?: Readonly<Record<string, Language>>;
  /** The default language, used if none of the preferred languages is available. Default: `'en'`. */
  language?: string;
  /** Short descriptions of scope values. Default: those of `defineScopes()` and `openid()` among the `features`. */
  scopes?: Scopes;
  /** Returns the display name of a user or client. Default: the `name` or a similar property, or else the id. */
  nameOf?: (one: User | Client) => string;
}

/** Returns messages in a language that the user prefers. */
export class Translator {
  private readonly languages: readonly string[];
  private readonly contexts = new Map<string, PageContext>();

  /** Validates the language tags. @throws {InvalidArgumentError} If a language tag is invalid. */
  constructor(private readonly options: LanguageOptions = {}) {
    const { languages = {}, language = 'en' } = options;
    this.languages = [...new Set([language, 'en', ...Object.keys(languages)])];
    for (const tag of this.languages) this.contexts.set(tag, this.contextOf(tag));
  }

  contextFor({ retryAfter, ...preferences }: PageReader): PageContext {
    const context = this.contexts.get(chooseLanguage(this.languages, preferences))!;
    if (retryAfter === undefined) return context;
    const wait = durationText(canonical(context.language), Number(retryAfter));
    return { ...context, message: (key, values) => context.message(key, { wait, ...values }) };
  }

  /** Returns the context of a page with texts of its own. */
  contextWith(own: MessageSet, preferences: PageReader): PageContext<string> {
    const base = this.contextFor(preferences);
    const { english, translations } = own;
    const chain = [base.language, base.language.split('-', 1)[0]!].map((tag) => translations[tag]);
    const message = (key: string, values?: Readonly<Record<string, unknown>>) =>
      Object.hasOwn(english, key)
        ? fill(chain.find((texts) => texts?.[key])?.[key] ?? english[key]!, values)
        : base.message(key as keyof typeof ENGLISH, values);
    return { ...base, message };
  }

  private contextOf(tag: string): PageContext {
    const { languages = {}, scopes, nameOf = usualName } = this.options;
    // The wait is known only if the throttle sets `Retry-After`.
    const wait = durationText(canonical(tag), 60);
    const dates = new Intl.DateTimeFormat(canonical(tag), { dateStyle: 'medium' });
    // A message that is missing in `de-AT` is taken from `de`, then from English.
    const chain = [tag, tag.split('-', 1)[0]!, 'en'].map((one) => languages[one]);
    return {
      language: tag,
      message: (key, values) =>
        fill(chain.find((one) => one?.messages?.[key])?.messages?.[key] ?? ENGLISH[key], { wait, ...values }),
      describe: (scope) =>
        [...chain.map((one) => one?.scopes), scopes].map((words) => scopeDescription(words, scope)).find(Boolean),
      date: (moment) => dates.format(moment),
      nameOf,
    };
  }
}

function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0]!;
  } catch {
    throw new InvalidArgumentError(
      `Invalid argument: \`${tag}\` is not a valid language tag such as \`de\` or \`pt-BR\``,
    );
  }
}

const NAMES = ['name', 'clientName', 'client_name', 'username', 'email', 'id'] as const;

function usualName(one: User | Client): string {
  const name = NAMES.map((key) => (one as Record<string, unknown>)[key]).find(
    (value) => value !== undefined && value !== null && value !== '',
  );
  return String(name ?? '');
}
