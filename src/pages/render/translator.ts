import { type Client, InvalidArgumentError, type User } from '../../../lib/index.js';
import type { PageContext } from './contexts.js';
import { fill } from './html.js';
import { chooseLanguage, durationText, type PageReader } from './language.js';
import {
  ENGLISH,
  type Language,
  type LanguageSource,
  type MessageSet,
  type MessageText,
  type Scopes,
  scopeDescription,
} from './messages.js';

/** The languages and texts of the pages. */
export interface LanguageOptions {
  /**
   * Languages in addition to English, by language tag. `en` changes the English texts. A function loads the texts when
   * the first user prefers the language.
   */
  languages?: Readonly<Record<string, LanguageSource>>;
  /** The default language, used if none of the preferred languages is available. Default: `'en'`. */
  language?: string;
  /** Short descriptions of scope values. Default: those of `defineScopes()` and `openid()` among the `features`. */
  scopes?: Scopes;
  /** Returns the display name of a user or client. Default: the `name` or a similar property, or else the id. */
  nameOf?: (one: User | Client) => string;
}

/** The names of the messages that describe scope values, by scope value. */
export type ScopeMessages = Readonly<Record<string, keyof typeof ENGLISH>>;

type Values = Readonly<Record<string, unknown>>;

/** The formats of numbers, dates and plurals in one language. */
interface Formats {
  readonly context: PageContext;
  readonly plurals: Intl.PluralRules;
  readonly numbers: Intl.NumberFormat;
}

/** Returns messages in a language that the user prefers. */
export class Translator {
  private readonly languages: readonly string[];
  private readonly formats = new Map<string, Formats>();

  /**
   * Validates the languages.
   * @param scopeMessages the messages for scope values that have no description
   * @throws {InvalidArgumentError} If a language tag or a text is invalid.
   */
  constructor(
    private readonly options: LanguageOptions = {},
    private readonly scopeMessages: ScopeMessages = {},
  ) {
    const { languages = {}, language = 'en' } = options;
    this.languages = [...new Set([language, 'en', ...Object.keys(languages)])];
    for (const tag of this.languages) {
      const locale = canonical(tag);
      if (typeof languages[tag] !== 'function') verifyTexts(tag, languages[tag]);
      this.formats.set(tag, {
        context: this.contextOf(tag, locale),
        plurals: new Intl.PluralRules(locale),
        numbers: new Intl.NumberFormat(locale),
      });
    }
  }

  /** Loads the texts in the language that a user prefers. Logs the first failure. Pages are in English then. */
  async load(preferences: PageReader): Promise<void> {
    for (const tag of new Set(tagsOf(chooseLanguage(this.languages, preferences)))) {
      const source = this.sourceOf(tag);
      if (typeof source !== 'function' || loaded.has(source)) continue;
      try {
        const language = await source();
        verifyTexts(tag, language);
        loaded.set(source, language);
      } catch (error) {
        if (!reported.has(source))
          process.emitWarning(`The texts of the language \`${tag}\` could not be loaded: ${String(error)}`);
        reported.add(source);
      }
    }
  }

  contextFor({ retryAfter, ...preferences }: PageReader): PageContext {
    const { context } = this.formats.get(chooseLanguage(this.languages, preferences))!;
    if (retryAfter === undefined) return context;
    const wait = durationText(canonical(context.language), Number(retryAfter));
    return { ...context, message: (key, values) => context.message(key, { wait, ...values }) };
  }

  /** Returns the context of a page with texts of its own. */
  contextWith(own: MessageSet, preferences: PageReader): PageContext<string> {
    const base = this.contextFor(preferences);
    const message = (key: string, values: Values = {}) =>
      Object.hasOwn(own.english, key)
        ? fill(...this.textOf(base.language, own, key, values))
        : base.message(key as keyof typeof ENGLISH, values);
    return { ...base, message };
  }

  /** Returns a message as plain text, for an e-mail, with values for its `{placeholders}`. */
  plainText(own: MessageSet, key: string, language: string, given: Values): string {
    const [text, values] = this.textOf(this.formats.has(language) ? language : this.languages[0]!, own, key, given);
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  }

  private contextOf(tag: string, locale: string): PageContext {
    const { scopes, nameOf = usualName } = this.options;
    // The wait is known only if the throttle sets `Retry-After`.
    const wait = durationText(locale, 60);
    const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
    return {
      language: tag,
      message: (key, values) => fill(...this.textOf(tag, PAGES, key, { wait, ...values })),
      describe: (scope) => {
        const translated = this.chainOf(tag).map((one) => one?.scopes);
        const description = [...translated, scopes].map((words) => scopeDescription(words, scope)).find(Boolean);
        if (description !== undefined || !Object.hasOwn(this.scopeMessages, scope)) return description;
        return this.textOf(tag, PAGES, this.scopeMessages[scope]!, {})[0];
      },
      date: (moment) => dates.format(moment),
      nameOf,
    };
  }

  /** Returns a text in a language or in English, by the plural category of `count`, and the values with this number. */
  private textOf(tag: string, own: MessageSet, key: string, values: Values): [text: string, values: Values] {
    const { translations, feature } = own;
    const texts = this.chainOf(tag).flatMap((one, at) => [
      own === PAGES ? one?.messages : one?.features?.[feature ?? ''],
      translations[tagsOf(tag)[at]!],
    ]) as readonly (Readonly<Record<string, MessageText>> | undefined)[];
    const text = texts.find((one) => one?.[key])?.[key] ?? own.english[key]!;
    const { count } = values;
    const { plurals, numbers } = this.formats.get(tag)!;
    return [
      typeof text === 'string' ? text : (text[plurals.select(Number(count))] ?? text.other),
      typeof count === 'number' ? { ...values, count: numbers.format(count) } : values,
    ];
  }

  /** Returns the languages in which a text is looked up. A text that is missing in `de-AT` is taken from `de`. */
  private chainOf(tag: string): readonly (Language | undefined)[] {
    return tagsOf(tag).map((one) => {
      const source = this.sourceOf(one);
      return typeof source === 'function' ? loaded.get(source) : source;
    });
  }

  private sourceOf(tag: string): LanguageSource | undefined {
    return this.options.languages?.[tag];
  }
}

/** The languages that were loaded, by the functions that load them. All servers of the process share them. */
const loaded = new WeakMap<() => Promise<Language>, Language>();
/** The functions whose failure was logged. */
const reported = new WeakSet<() => Promise<Language>>();

/** The texts of the ready-made pages. */
const PAGES: MessageSet = { english: ENGLISH, translations: {} };

const tagsOf = (tag: string): readonly string[] => [tag, tag.split('-', 1)[0]!, 'en'];

/** @throws {InvalidArgumentError} If a text is neither a string nor an object of strings with `other`. */
function verifyTexts(tag: string, { messages = {}, features = {} }: Language = {}): void {
  for (const [key, text] of [messages, ...Object.values(features)].flatMap((texts) => Object.entries(texts))) {
    const forms: unknown[] = typeof text === 'object' && text !== null ? [text.other, ...Object.values(text)] : [text];
    if (text === undefined || forms.every((form) => typeof form === 'string')) continue;
    throw new InvalidArgumentError(
      `Invalid argument: the text \`${key}\` in the language \`${tag}\` must be a string, or \`{ one, …, other }\` with strings`,
    );
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
