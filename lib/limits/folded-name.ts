/**
 * Letters that a database collation treats as equal to others although Unicode does not decompose them: letters with
 * strokes, final forms, and small Kana.
 */
const LETTERS = new Map([
  ...Object.entries({ ß: 's', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ı: 'i', ſ: 's', y: 'u' }),
  ...Object.entries({ ς: 'σ', ґ: 'г', ך: 'כ', ם: 'מ', ן: 'נ', ף: 'פ', ץ: 'צ' }),
  ...pairs('ァアィイゥウェエォオッツャヤュユョヨヮワヵカヶケ'),
]);

/** The scripts in common use today. Unicode Standard Annex #31, table 5 */
const SCRIPTS =
  'Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew ' +
  'Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan ' +
  'Common Inherited';

/** A character of another script, or beyond the Basic Multilingual Plane. Some collations treat all of these as equal. */
const UNDISTINGUISHED = new RegExp(
  `[\\u{10000}-\\u{10ffff}]|(?!${SCRIPTS.split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('|')}).`,
  'gsu',
);

/**
 * Characters that some collations treat as equal to common letters, and others as different from them or equal to
 * everything: enclosed and superscript letters, letters as combining marks, phonetic and historic letters, ligatures of
 * Arabic, parts of ideographs, and characters without a weight.
 */
const AMBIGUOUS = new RegExp(
  [
    String.raw`(?![\0-\x7f])[\p{Lm}\p{Nl}\p{No}\p{Sk}\u1680\ufffd]`,
    String.raw`[\u0345\u0363-\u036f\u1ab0-\u1aff\u1cd0-\u1cff\u1dc0-\u1dff\u2de0-\u2dff]`,
    String.raw`[\u{10000}-\u{10ffff}](?<![\p{Lo}\p{Extended_Pictographic}])|[\u{1b000}-\u{1b16f}\u{1f100}-\u{1f1ff}]`,
    String.raw`[^\0-\u024f\u1e00-\u1eff\uff00-\uffef](?<=\p{Script=Latin})|[ƍƾȸȹỺỻ]`,
    String.raw`[\u0674\u06de\u06fd\u06fe\u0870-\u08ff\u0d4e\u0f6a\u104f\u1027\u1028\u1800-\u180f\u1a58-\u1a5b]`,
    String.raw`[\u1c80-\u1c8f\u2100-\u214f\u2e80-\u2eff\u312e\u31a0-\u31bf\u31f0-\u31ff\ua640-\ua69f\ua8e0-\ua8ff]`,
    String.raw`[\ufb50-\ufdff\ufe70-\ufeff]`,
  ].join('|'),
  'u',
);

/**
 * Returns a user name without case, accents, invisible characters and outer spaces, and with its digits as ASCII.
 * Whatever the collation of the database, two names that it treats as equal have the same folded name, unless
 * `isAmbiguousName()` is true for one of them. So a rate limit counts all spellings of a name together. Unicode
 * Technical Standard #10
 */
export function foldedName(name: string): string {
  return (
    plain(plain(name).toLowerCase())
      .replaceAll(/[\u3041-\u3096]/g, (hiragana) => shifted(hiragana, 0x60))
      .replaceAll(/[\u2d00-\u2d25]/g, (georgian) => shifted(georgian, 0x10d0 - 0x2d00))
      .replaceAll(/\p{Nd}/gu, digitOf)
      .replaceAll(UNDISTINGUISHED, '?')
      .replaceAll(/./gsu, (letter) => LETTERS.get(letter) ?? letter)
      // Depending on the language, `ä`, `æ`, `å` and `ß` equal `ae`, `aa`, `s` or `ss`, and `ü` equals `ue` or `y`.
      .replaceAll(/a[ae]+/g, 'a')
      .replaceAll(/([ou])e+/g, '$1')
      .replaceAll(/s+/g, 's')
      .trim()
  );
}

/**
 * Whether a user name contains characters that database collations compare in contradictory ways, so that
 * `foldedName()` cannot represent it.
 */
export function isAmbiguousName(name: string): boolean {
  if (AMBIGUOUS.test(name) || name.normalize('NFKD').includes('\u0345')) return true;
  return Array.from(name).some((character) => character.length > 1 && character.normalize('NFKD') !== character);
}

const plain = (text: string) =>
  text.normalize('NFKD').replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}\u00b7\u0640]/gu, '');

const shifted = (character: string, by: number) => String.fromCodePoint(character.codePointAt(0)! + by);

/** Returns the value of a decimal digit. The ten digits of a script follow each other. */
function digitOf(character: string): string {
  const codePoint = character.codePointAt(0)!;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - 1 - value))) value += 1;
  return String(value % 10);
}

function pairs(letters: string): [string, string][] {
  return Array.from({ length: letters.length / 2 }, (_, index) => [letters[2 * index]!, letters[2 * index + 1]!]);
}
