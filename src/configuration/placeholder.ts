/** Texts of examples and templates, which a random secret does not contain, and texts that repeat a part. */
const PLACEHOLDER =
  /change.?(?:me|this|it)|your.{0,12}secret|secret.?here|placeholder|replace.?(?:me|this|with)|random.?char|^(.+?)\1+$/i;

/** Whether a secret is the text of an example, which the developer should have replaced. */
export const isPlaceholder = (secret: string): boolean => PLACEHOLDER.test(secret);
