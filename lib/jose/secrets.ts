/**
 * Whether a list contains at least one secret, and each secret has at least 32 characters, so that it cannot be
 * guessed.
 */
export const areSecrets = (secrets: readonly unknown[]): boolean =>
  secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one.length >= 32);
