/** One secret at least, and each long enough that nobody finds it by trying. */
export const areSecrets = (secrets: readonly unknown[]): boolean =>
  secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one.length >= 32);
