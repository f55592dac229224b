/** Maximum length of a user name. */
export const MAX_USER_NAME_LENGTH = 255;

/**
 * Whether a text can be a user name. Characters that nobody sees are refused: control and format characters, unassigned
 * and private code points, and lone surrogates (the general category `C`). Databases ignore many of them in
 * comparisons, so that one user could be named in unlimited ways. PostgreSQL rejects NUL.
 */
export const isUserName = (text: string): boolean =>
  text !== '' && text.length <= MAX_USER_NAME_LENGTH && !/\p{C}/u.test(text);
