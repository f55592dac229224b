import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];

/** Makes text unreadable without a secret, and any change of it seen. */
export class TextEncryption {
  private readonly keys: readonly Buffer[];

  /**
   * @param secrets the first seals; the others open what was sealed before
   * @param purpose what is sealed for one purpose opens for no other, whoever uses a secret twice. RFC 5869 §3.2
   */
  constructor(secrets: readonly string[], purpose: string) {
    this.keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  encrypt(text: string): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(ALGORITHM, this.keys[0]!, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return sealed.toString('base64url');
  }

  /** @returns undefined where it was sealed by another secret, or changed */
  decrypt(encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64url');
    if (bytes.length < NONCE + TAG) return undefined;
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE));
        decipher.setAuthTag(bytes.subarray(-TAG));
        return decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        // The next secret may be the one.
      }
    }
    return undefined;
  }
}
