/** Letters that database collations treat as equal to others although Unicode does not decompose them. */
const LETTERS = new Map(
  Object.entries({ ß: 's', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ł: 'l', ı: 'i', ſ: 's' }),
);

/**
 * Returns a user name without case, accents, invisible characters and outer spaces. Database collations, such as the
 * default of MariaDB, find the same user by all these spellings, so that a rate limit must count them together. Unicode
 * Technical Standard #10
 */
export function foldedName(name: string): string {
  const bare = name.normalize('NFKD').replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
  const letters = Array.from(
    bare.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, ''),
    (one) => LETTERS.get(one) ?? one,
  );
  // Some collations treat `ß` as `s`, others as `ss`.
  return letters.join('').replaceAll(/s+/g, 's').trim();
}
