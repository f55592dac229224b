import { errors } from 'jose';

/**
 * Does an error say that something signed is no good, or the key that it names? A key that cannot be read is a DOMException of
 * WebCrypto: whoever registered it must not make a fault of this server of it.
 */
export const isVerificationError = (error: unknown): error is Error =>
  error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException;
