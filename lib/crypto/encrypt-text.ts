import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];

/**
 * Authenticated encryption of texts (AES-256-GCM) with keys derived from secrets. Modified texts cannot be decrypted.
 */
export class TextEncryption {
  private readonly keys: readonly Buffer[];

  /**
   * @param secrets The first secret encrypts. All secrets can decrypt, so that secrets can be rotated.
   * @param purpose A name from which the key is derived too. A text encrypted for one purpose cannot be decrypted for
   * another one. RFC 5869 §3.2
   */
  constructor(secrets: readonly string[], purpose: string) {
    this.keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  /**
   * @param owner What the text belongs to. It is authenticated: only a call with the same text can decrypt the result, so
   * that a text cannot be moved to another owner. Default: empty.
   */
  encrypt(text: string, owner = ''): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(ALGORITHM, this.keys[0]!, nonce);
    cipher.setAAD(Buffer.from(owner));
    const encrypted = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return encrypted.toString('base64url');
  }

  /** Returns the decrypted text, or `undefined` if the text was modified or encrypted with an unknown secret. */
  decrypt(encrypted: string, owner = ''): string | undefined {
    return this.open(encrypted, owner)?.text;
  }

  /** Whether a text was encrypted with the first secret. If not, encrypt it again before its secret is removed. */
  isNewest(encrypted: string, owner = ''): boolean {
    return this.open(encrypted, owner)?.isNewest === true;
  }

  /** Decrypts a text like `decrypt()`, and returns also whether the first secret encrypted it. */
  open(encrypted: string, owner = ''): { readonly text: string; readonly isNewest: boolean } | undefined {
    const bytes = Buffer.from(encrypted, 'base64url');
    if (bytes.length < NONCE + TAG) return undefined;
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE));
        decipher.setAAD(Buffer.from(owner));
        decipher.setAuthTag(bytes.subarray(-TAG));
        const text = decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8');
        return { text, isNewest: key === this.keys[0] };
      } catch {
        // Another secret may have encrypted the text.
      }
    }
    return undefined;
  }
}
