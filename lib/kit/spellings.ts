import { randomUUID } from 'node:crypto';

/** Names that every JavaScript object answers to, and patterns of query languages. */
export const UNKNOWN_VALUES: readonly string[] = [
  'no-such-thing-7f3a',
  '__proto__',
  'constructor',
  'toString',
  '%',
  '*',
  '.*',
  "' OR '1'='1",
];

/** How the spellings differ that a careless comparison takes for the same. */
const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'in capitals': (text) => text.toUpperCase(),
  'in small letters': (text) => text.toLowerCase(),
  'with a space after it': (text) => `${text} `,
  'with a space before it': (text) => ` ${text}`,
  'with a line break after it': (text) => `${text}\n`,
  'with an accent': (text) => text.replace(/[a-z]/i, (letter) => `${letter}\u0301`.normalize('NFC')),
  'in full-width letters': (text) =>
    text.replaceAll(/[!-~]/g, (char) => String.fromCodePoint(char.codePointAt(0)! + 0xfee0)),
  'with an invisible character': (text) => `${text}\u200b`,
  'without its last character': (text) => text.slice(0, -1),
  'with a wildcard for its first character': (text) => `_${text.slice(1)}`,
};

/** Other spellings of a text, each with how it differs. */
export function otherSpellings(text: string): [how: string, spelling: string][] {
  return Object.entries(CHANGES)
    .map(([how, change]): [string, string] => [how, change(text)])
    .filter(([, spelling]) => spelling !== text);
}

/** What is not this secret, each with how it differs. The secret itself belongs in no message. */
export function wrongSecrets(secret: string): [how: string, wrong: string][] {
  return [
    ['a random text', randomUUID()],
    ['an empty text', ''],
    ['the text null', 'null'],
    ['the text undefined', 'undefined'],
    ['a wildcard', '%'],
    ...otherSpellings(secret).map(([how, spelling]): [string, string] => [`the right one ${how}`, spelling]),
  ];
}
