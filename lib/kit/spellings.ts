import { randomUUID } from 'node:crypto';

/**
 * Values that no model has saved: names of properties that every JavaScript object has, and patterns of query
 * languages.
 */
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

/**
 * Functions that change a text in a way that an inexact comparison ignores, by a description of the change. The
 * description follows words such as "the ID" or "its value".
 */
const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'in upper case': (text) => text.toUpperCase(),
  'in lower case': (text) => text.toLowerCase(),
  'with a trailing space': (text) => `${text} `,
  'with a leading space': (text) => ` ${text}`,
  'with a trailing line break': (text) => `${text}\n`,
  'with an accent': (text) => text.replace(/[a-z]/i, (letter) => `${letter}\u0301`.normalize('NFC')),
  'in full-width letters': (text) =>
    text.replaceAll(/[!-~]/g, (char) => String.fromCodePoint(char.codePointAt(0)! + 0xfee0)),
  'with an invisible character': (text) => `${text}\u200b`,
  'without its last character': (text) => text.slice(0, -1),
  'with a wildcard as its first character': (text) => `_${text.slice(1)}`,
};

/** Returns the variants of a text that differ from it, each with a description of the change. */
export function otherSpellings(text: string): [how: string, spelling: string][] {
  return Object.entries(CHANGES)
    .map(([how, change]): [string, string] => [how, change(text)])
    .filter(([, spelling]) => spelling !== text);
}

/** Returns values that are not the secret, each with a description. The descriptions never contain the secret. */
export function wrongSecrets(secret: string): [how: string, wrong: string][] {
  return [
    ['a random text', randomUUID()],
    ['an empty string', ''],
    ['the string "null"', 'null'],
    ['the string "undefined"', 'undefined'],
    ['a wildcard', '%'],
    ...otherSpellings(secret).map(([how, spelling]): [string, string] => [`the correct one ${how}`, spelling]),
  ];
}
