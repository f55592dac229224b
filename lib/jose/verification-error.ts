import { errors } from 'jose';

/**
 * Whether an error means that a signature or a key is invalid, which is an error of the sender and not an internal
 * failure. For a key that cannot be imported, WebCrypto throws a `DOMException`.
 */
export const isVerificationError = (error: unknown): error is Error =>
  error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException;
