import { type Client, InvalidArgumentError, type User } from '../../lib/index.js';
import type { PageContext } from './contexts.js';
import { fill } from './html.js';
import { chooseLanguage, type LanguagePreferences } from './language.js';
import { ENGLISH, type Language, type Scopes, scopeDescription } from './messages.js';

/** What the pages say, and in which languages. */
export interface LanguageOptions {
  /** Languages beside English, by their tags; `en` changes what is said in English. */
  languages?: Readonly<Record<string, Language>>;
  /** The language of whoever asks for none that there is. Default: `'en'` */
  language?: string;
  /** What scope values allow, by a few words each. Default: what `defineScopes()` and `openid()` among the `features` say */
  scopes?: Scopes;
  /** How users and clients are called. Default: by their `name`, or what else they have of that kind, or their id */
  nameOf?: (one: User | Client) => string;
}

/** Speaks to each visitor in a language of theirs. */
export class Translator {
  private readonly languages: readonly string[];
  private readonly contexts = new Map<string, PageContext>();

  /** @throws InvalidArgumentError for a language that is none */
  constructor(private readonly speech: LanguageOptions = {}) {
    const { languages = {}, language = 'en' } = speech;
    this.languages = [...new Set([language, 'en', ...Object.keys(languages)])];
    for (const tag of this.languages) this.contexts.set(tag, this.contextOf(tag));
  }

  contextFor(preferences: LanguagePreferences): PageContext {
    return this.contexts.get(chooseLanguage(this.languages, preferences))!;
  }

  private contextOf(tag: string): PageContext {
    const { languages = {}, scopes, nameOf = usualName } = this.speech;
    const dates = new Intl.DateTimeFormat(canonical(tag), { dateStyle: 'medium' });
    // `de-AT` says in German what it does not say itself.
    const chain = [tag, tag.split('-', 1)[0]!, 'en'].map((one) => languages[one]);
    return {
      language: tag,
      say: (key, values) => fill(chain.find((one) => one?.messages?.[key])?.messages?.[key] ?? ENGLISH[key], values),
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
    throw new InvalidArgumentError(`Invalid argument: \`${tag}\` is no language tag such as \`de\` or \`pt-BR\``);
  }
}

const NAMES = ['name', 'clientName', 'client_name', 'username', 'email', 'id'] as const;

function usualName(one: User | Client): string {
  const found = NAMES.map((key) => (one as Record<string, unknown>)[key]).find(
    (value) => value !== undefined && value !== '',
  );
  return String(found ?? '');
}
