import { TextEncryption } from './encrypt-text.js';

/** Encrypted objects that are valid for a limited time, for URLs, forms and cookies. The store need not keep them. */
export class ExpiringTexts<T extends object> {
  private readonly encryption: TextEncryption;

  /** The parameters are those of `TextEncryption`. */
  constructor(secrets: readonly string[], purpose: string) {
    this.encryption = new TextEncryption(secrets, purpose);
  }

  /**
   * @param lifetime seconds for which the result can be decrypted
   * @param owner What the value belongs to, as with `TextEncryption`. Default: empty.
   */
  encrypt(value: T, lifetime: number, owner = ''): string {
    return this.encryption.encrypt(JSON.stringify({ ...value, expires: Date.now() + lifetime * 1000 }), owner);
  }

  /**
   * Returns the decrypted object, with its expiry in milliseconds since the epoch. Returns `undefined` if the text is
   * missing, was modified or has expired.
   */
  decrypt(text: string | undefined, owner = ''): (T & { readonly expires: number }) | undefined {
    const decrypted = text === undefined ? undefined : this.encryption.decrypt(text, owner);
    if (decrypted === undefined) return undefined;
    const value = JSON.parse(decrypted) as T & { expires: number };
    return value.expires > Date.now() ? value : undefined;
  }
}
