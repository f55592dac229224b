import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ACCOUNT_MESSAGES } from 'nest-oauth2/accounts';
import { defineMessages, ELICITATION_MESSAGES, ENGLISH, type Language, PageRenderer } from 'nest-oauth2/pages';
import { UPSTREAM_MESSAGES } from 'nest-oauth2/upstreams';

const FOLDER = join(import.meta.dirname, '../../../packages/languages/src');
const TAGS = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Texts that are right although they equal the English text. */
const ALIKE = /^(?:Code|Name|Passkeys?|Password|Problem: \{title\}|\{provider\}, \{name\})$/;

interface Texts {
  readonly [key: string]: unknown;
}

const ENGLISH_TEXTS: Readonly<Record<string, Texts>> = {
  pages: ENGLISH,
  accounts: ACCOUNT_MESSAGES,
  elicitation: ELICITATION_MESSAGES,
  upstreams: UPSTREAM_MESSAGES,
};

/** Words of an informal address, and for `pt` of European Portuguese. The texts address users formally. */
const UNWANTED: Readonly<Record<string, RegExp>> = {
  de: /(?<!\p{L})(?:du|dich|dir|deine?[mnrs]?)(?!\p{L})/iu,
  es: /(?<!\p{L})(?:tú|tus?|puedes|quieres|has)(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:tu|toi|ton|tes|peux)(?!\p{L})/iu,
  it: /(?<!\p{L})(?:ti|tuo|tua|tuoi|puoi|hai|vuoi)(?!\p{L})/iu,
  nl: /(?<!\p{L})(?:je|jij|jouw|jou)(?!\p{L})/iu,
  pl: /(?<!\p{L})(?:możesz|chcesz|twoj\p{L}*|twój|spróbuj|wróć do aplikacji)(?!\p{L})/iu,
  pt: /(?<!\p{L})(?:utilizador|ficheiro|palavra-passe|aplicação)(?!\p{L})/iu,
};

const placeholdersOf = (text: unknown) => [...String(text).matchAll(/\{\w+\}/g)].map(([one]) => one).toSorted();
const formsOf = (text: unknown): unknown[] => (typeof text === 'string' ? [text] : Object.values(text as object));

async function read(tag: string) {
  const { [tag]: language } = (await import(`${FOLDER}/${tag}/index.ts`)) as Record<string, Required<Language>>;
  return language!;
}

describe.each(TAGS)('the language %s of nest-oauth2-languages', (tag) => {
  it.each(Object.keys(ENGLISH_TEXTS))('has exactly the texts of %s, with the same placeholders', async (set) => {
    const english = ENGLISH_TEXTS[set]!;
    const { messages, features } = await read(tag);
    const texts: Texts = set === 'pages' ? messages : features[set]!;
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted());
    for (const [key, text] of Object.entries(texts)) {
      for (const form of formsOf(text)) {
        expect([key, placeholdersOf(form)]).toEqual([key, placeholdersOf(english[key])]);
        expect(form).toMatch(/^\S[^]*\S$/);
      }
    }
  });

  it('addresses users formally', async () => {
    const { messages, features } = await read(tag);
    const texts = [messages, ...Object.values(features)].flatMap((set) => Object.values(set as Texts).flatMap(formsOf));
    expect(texts.filter((text) => UNWANTED[tag]?.test(String(text)))).toEqual([]);
  });

  it('has no English text, and all plural forms of a text that has some', async () => {
    const { messages, features } = await read(tag);
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    const all = Object.entries(ENGLISH_TEXTS).flatMap(([set, english]) => {
      const texts: Texts = set === 'pages' ? messages : features[set]!;
      return Object.entries(texts).map(([key, text]) => ({ key, text, english: english[key] }));
    });
    const same = all.filter(({ text, english }) => text === english && !ALIKE.test(String(text)));
    expect(same.map(({ key }) => key)).toEqual([]);
    const plurals = all.filter(({ text }) => typeof text === 'object');
    for (const { text } of plurals) expect(Object.keys(text as object).toSorted()).toEqual(pluralCategories.toSorted());
  });

  it('is shown on a page of a browser that prefers it', async () => {
    const renderer = new PageRenderer({ languages: { [tag]: await read(tag) } });
    const { html, headers } = renderer.render('login', { action: '/', fields: {} }, { acceptLanguage: tag });
    expect(html).toContain(`<html lang="${tag}" dir="${tag === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(headers?.['Content-Language']).toBe(tag);
    expect(html).not.toContain(ENGLISH.username);
  });
});

describe('the texts of a language', () => {
  const newsletter = defineMessages(
    { title: 'Newsletter', sent: '{count} letters' },
    { de: { title: 'Rundbrief' } },
    'newsletter',
  );
  const sent = (languages: Record<string, Language>, tag: string, count: unknown) =>
    new PageRenderer({ languages }).contextFor({ uiLocales: tag }, newsletter).message('sent', { count }).source;

  it('of a feature replace those of the feature, and do not change texts of the same name elsewhere', () => {
    const features = { newsletter: { title: 'Brief' }, other: { sent: 'wrong' } };
    const renderer = new PageRenderer({ languages: { de: { features, messages: { allow: 'Ja' } } } });
    const { message } = renderer.contextFor({ uiLocales: 'de-AT' }, newsletter);
    expect([message('title'), message('sent', { count: 2 }), message('allow')].map(String)).toEqual([
      'Brief',
      '2 letters',
      'Ja',
    ]);
    const without = new PageRenderer({ languages: { de: {} } }).contextFor({ uiLocales: 'de' }, newsletter);
    expect(String(without.message('title'))).toBe('Rundbrief');
  });

  it('of a feature can be changed in English too', () => {
    expect(sent({ en: { features: { newsletter: { sent: '{count} mails' } } } }, 'fr', 3)).toBe('3 mails');
  });

  it.each<[count: number, text: string]>([
    [1, '1 list'],
    [3, '3 listy'],
    [5, '5 listów'],
    [22, '22 listy'],
    [1234567, '1\u00A0234\u00A0567 listów'],
  ])('follow the plural rules of the language: %i', (count, text) => {
    const forms = { one: '{count} list', few: '{count} listy', other: '{count} listów' };
    expect(sent({ pl: { features: { newsletter: { sent: forms } } } }, 'pl', count)).toBe(text);
  });

  it('describe the scopes of OpenID Connect after descriptions of the application', () => {
    const { describe: describeScope } = new PageRenderer({
      languages: { de: { messages: { scopeEmail: 'Ihre Adresse sehen', scopePhone: 'Ihre Nummer sehen' } } },
    })
      .withScopes(
        { phone: 'See your extension' },
        { email: 'scopeEmail', phone: 'scopePhone', address: 'scopeAddress' },
      )
      .contextFor({ uiLocales: 'de' });
    expect(['email', 'phone', 'address', 'toString'].map((scope) => describeScope(scope))).toEqual([
      'Ihre Adresse sehen',
      'See your extension',
      ENGLISH.scopeAddress,
      undefined,
    ]);
  });

  it.each<[unknown]>([[7], [null], [{ one: '{count} code' }], [{ other: 1 }]])('must be texts, and not %j', (text) => {
    expect(() => new PageRenderer({ languages: { de: { messages: { allow: text as string } } } })).toThrow(
      'the text `allow` in the language `de` must be a string, or `{ one, …, other }` with strings',
    );
  });
});
