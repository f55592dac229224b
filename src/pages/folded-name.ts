/** Letters that collations of databases compare as others, and that Unicode does not decompose. */
const LETTERS = new Map(
  Object.entries({ ß: 's', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ı: 'i', ſ: 's' }),
);

/**
 * Returns a user name without case, accents, invisible characters and outer spaces. Collations of databases, such as the default of
 * MariaDB, find one user by all these spellings, so that a throttle must count them together. Unicode Technical Standard #10
 */
export function foldedName(name: string): string {
  const bare = name.normalize('NFKD').replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  const letters = Array.from(
    bare.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, ''),
    (one) => LETTERS.get(one) ?? one,
  );
  // One collation compares `ß` as `s`, another one as `ss`.
  return letters.join('').replaceAll(/s+/g, 's').trim();
}
